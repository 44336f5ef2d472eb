import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { PANEL_HASH } from '../../../shared/ipc/channel.ts'
import type { AgentCallName } from '../../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { browserArguments, pageBrowserPath } from '../../support/browser.ts'
import type { StationEvent } from '../scripted/bridge.ts'
import { initialSettings, type Scene, type SceneOptions } from '../scripted/scene.ts'
import { PageStation } from '../station/page-station.ts'
import { SceneJournals } from '../station/scene-journals.ts'

/** The console errors and uncaught errors of each page. The browser logs a CSP violation as a console error. */
const pageErrors = new WeakMap<Page, string[]>()
/** Clears the errors, for a test that expects them. */
export const clearPageErrors = (page: Page): unknown => pageErrors.set(page, [])
export const pageErrorsOf = (page: Page): readonly string[] => pageErrors.get(page) ?? []

export type PageOptions = {
  readonly scene: Scene
  /** The number of recordings in the scene `many`. Writing the default of 100,000 takes half a minute. */
  readonly rows?: number
  readonly theme?: 'light' | 'dark'
  /** True to open the panel at the tray icon instead of the window. */
  readonly panel?: boolean
  /** 2 shows the page at 200% zoom. */
  readonly zoom?: number
  readonly moving?: boolean
  readonly unprotected?: boolean
  readonly noTray?: boolean
  readonly damaged?: boolean
  readonly locale?: string
  readonly view?: string
  readonly width?: number
  readonly height?: number
  /** The time of the station and the fixed date of the page. The page's timers still run. */
  readonly at?: Date
  /** True if the test controls the clock of the page. */
  readonly ownClock?: boolean
}

/** Shared by all test workers of a run. */
export type PageFixtures = {
  /** The URL of the built page. */
  readonly origin: string
  /** The folder with the journals of the scenes. */
  readonly journals: string
}

/** A browser page and the station it shows. */
type PooledPage = {
  readonly kind: string
  readonly context: BrowserContext
  readonly page: Page
  station: PageStation | null
}

/**
 * Runs the built page with a scripted bridge in Chromium, so that page tests need no Electron. The pool opens the
 * browser once and reuses its pages, because a reused page finds the compiled code in its cache.
 */
export class PagePool {
  readonly #browser: Browser
  readonly #origin: string
  readonly #journals: SceneJournals
  readonly #inUse = new Map<Page, PooledPage>()
  readonly #free: PooledPage[] = []

  private constructor(browser: Browser, { origin, journals }: PageFixtures) {
    this.#browser = browser
    this.#origin = origin
    this.#journals = new SceneJournals(journals)
  }

  static async open(fixtures: PageFixtures): Promise<PagePool> {
    const browser = await chromium.launch({
      ...(pageBrowserPath === undefined ? {} : { executablePath: pageBrowserPath }),
      args: browserArguments,
    })
    return new PagePool(browser, fixtures)
  }

  async close(): Promise<void> {
    for (const { station } of this.#inUse.values()) station?.close()
    await this.#browser.close()
  }

  async openPage(options: PageOptions): Promise<Page> {
    const { scene, theme = 'light', zoom = 1, moving = true, width = 1120, height = 760 } = options
    const pooled = await this.#take(options)
    const { page } = pooled
    pooled.station = new PageStation({
      journals: this.#journals,
      scene,
      rows: options.rows,
      settings: scene === 'first-run' ? null : settingsSchema.parse(initialSettings),
      atMs: (options.at ?? new Date()).getTime(),
      moving,
    })
    pageErrors.set(page, [])
    const size = { width: Math.round(width / zoom), height: Math.round(height / zoom) }
    const currentSize = page.viewportSize()
    if (currentSize?.width !== size.width || currentSize.height !== size.height)
      await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: theme })
    const hash = options.panel === true ? PANEL_HASH : ''
    await page.goto(`${this.#origin}/?${encodeURIComponent(JSON.stringify(sceneOptions(options)))}${hash}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // Wait until the page has rendered the first status, so that a test can read the page at once.
    await page.evaluate(() => window.station('getStatus', null))
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    )
    if (options.ownClock === true)
      await page.clock.install(options.at === undefined ? {} : { time: options.at })
    return page
  }

  /** Stops the page and its station. The next test may reuse the browser page. */
  async release(page: Page): Promise<void> {
    const pooled = this.#inUse.get(page)
    if (pooled === undefined) return
    const { kind, context } = pooled
    this.#inUse.delete(page)
    const isReusable = kind !== OWN_CLOCK && !this.#free.some((free) => free.kind === kind)
    if (isReusable) {
      await page.goto('about:blank')
      // Move the pointer away, so that nothing is hovered on the next page.
      await page.mouse.move(-1, -1)
    } else await context.close()
    pooled.station?.close()
    pooled.station = null
    if (isReusable) this.#free.push(pooled)
  }

  async #take(options: PageOptions): Promise<PooledPage> {
    const kind = kindOf(options)
    const freeIndex = this.#free.findIndex((pooled) => pooled.kind === kind)
    const pooled = freeIndex < 0 ? await this.#create(kind, options) : this.#free.splice(freeIndex, 1)[0]!
    this.#inUse.set(pooled.page, pooled)
    return pooled
  }

  async #create(kind: string, { zoom = 1, at }: PageOptions): Promise<PooledPage> {
    const context = await this.#browser.newContext({
      deviceScaleFactor: zoom,
      reducedMotion: 'reduce',
      timezoneId: 'Europe/Berlin',
      locale: 'en-GB',
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => undefined)
    // Long enough for a busy machine. Only a test that fails anyway waits this long.
    context.setDefaultTimeout(120_000)
    const page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && pageErrors.get(page)?.push(message.text()))
    page.on('pageerror', (error) => pageErrors.get(page)?.push(String(error)))
    if (at !== undefined) await page.clock.setFixedTime(at)
    const pooled: PooledPage = { kind, context, page, station: null }
    await page.exposeFunction('station', (name: AgentCallName, args: unknown) =>
      pooled.station?.answer(name, args),
    )
    await page.exposeFunction('applyStationEvent', (event: StationEvent) => pooled.station?.applyEvent(event))
    return pooled
  }
}

const OWN_CLOCK = 'own clock'

/** Combines the options that apply only when a page is created. The pool reuses a page only for the same options. */
const kindOf = ({ zoom = 1, at, ownClock = false }: PageOptions): string =>
  ownClock ? OWN_CLOCK : `${zoom} ${at?.toISOString() ?? ''}`

const sceneOptions = ({
  scene,
  moving = true,
  unprotected = false,
  noTray = false,
  damaged = false,
  locale = 'en-GB',
  view,
}: PageOptions): SceneOptions => ({
  scene,
  moving,
  unprotected,
  noTray,
  damaged,
  locale,
  ...(view === undefined ? {} : { view }),
})
