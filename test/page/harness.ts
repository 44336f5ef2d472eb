import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { build } from 'vite'
import { contentSecurityPolicy, contentTypes } from '../../main/shell/window/page-policy.ts'
import type { AgentCallName } from '../../shared/ipc.ts'
import { settingsSchema } from '../../shared/settings.ts'
import { browserArguments, pageBrowserPath } from '../support/browser.ts'
import type { StationEvent } from './scripted/bridge.ts'
import { type Scene, type SceneOptions, setUp } from './scripted/scene.ts'
import { PageStation } from './station/page-station.ts'

/**
 * The built page in a browser of its own, under the policy it has in the app, with a scripted bridge. Needs
 * no Electron, so it runs wherever a Chromium does.
 */

const root = path.join(import.meta.dirname, '../..')
/** A trustworthy origin to the browser, as the app's own scheme is: the clipboard works only there. */
const ORIGIN = 'http://sluice.localhost'

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(pageBrowserPath === undefined ? {} : { executablePath: pageBrowserPath }),
    args: browserArguments,
  })

const bundleBridge = async (): Promise<string> => {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    build: {
      write: false,
      minify: false,
      lib: {
        entry: path.join(import.meta.dirname, 'scripted/bridge.ts'),
        formats: ['iife'],
        name: 'scriptedBridge',
      },
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  if (output === undefined || !('output' in output)) throw new Error('the scripted bridge was not built')
  return output.output[0].code
}

let bridge: Promise<string> | null = null

/** What the page wrote to its console as an error, breaches of its policy included. */
const complaints = new WeakMap<Page, string[]>()
/** For a test in which the page is meant to complain. */
export const forgive = (page: Page): unknown => complaints.set(page, [])
export const complaintsOf = (page: Page): readonly string[] => complaints.get(page) ?? []

export type PageOptions = {
  readonly scene: Scene
  readonly theme?: 'light' | 'dark'
  /** 2 shows the page as a window of this size at 200%. */
  readonly zoom?: number
  readonly moving?: boolean
  readonly unprotected?: boolean
  readonly damaged?: boolean
  readonly locale?: string
  readonly view?: string
  readonly width?: number
  readonly height?: number
  /** The clock of a picture stands still. */
  readonly at?: Date
}

export const openPage = async (browser: Browser, options: PageOptions): Promise<Page> => {
  bridge ??= bundleBridge()
  const {
    scene,
    theme = 'light',
    zoom = 1,
    moving = true,
    unprotected = false,
    damaged = false,
    locale = 'en-GB',
    width = 1120,
    height = 760,
  } = options
  const context = await browser.newContext({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => undefined)
  const page = await context.newPage()
  complaints.set(page, [])
  page.on('console', (message) => message.type() === 'error' && complaints.get(page)?.push(message.text()))
  page.on('pageerror', (error) => complaints.get(page)?.push(String(error)))
  if (options.at !== undefined) await page.clock.setFixedTime(options.at)
  const station = new PageStation({
    scene,
    settings: scene === 'first-run' ? null : settingsSchema.parse(setUp),
    atMs: (options.at ?? new Date()).getTime(),
    moving,
  })
  page.once('close', () => station.close())
  await page.exposeFunction('station', (name: AgentCallName, args: unknown) => station.answer(name, args))
  await page.exposeFunction('stationHappens', (event: StationEvent) => station.happens(event))
  await page.addInitScript(
    (given: SceneOptions) => {
      window.scriptedOptions = given
    },
    {
      scene,
      moving,
      unprotected,
      damaged,
      locale,
      ...(options.view === undefined ? {} : { view: options.view }),
    },
  )
  await page.addInitScript(await bridge)
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const file = path.join(root, 'out/renderer', pathname === '/' ? 'index.html' : pathname)
    await route.fulfill({
      body: await readFile(file),
      headers: {
        'content-type': contentTypes[path.extname(file)] ?? 'application/octet-stream',
        'content-security-policy': contentSecurityPolicy,
      },
    })
  })
  await page.goto(`${ORIGIN}/`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  // Answered after the page's own first look, and drawn: what a test reads at once is what the station says.
  await page.evaluate(() => window.station('getStatus', null))
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  return page
}

/** Opens a screen by its name in the side bar. */
export const openScreen = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('button', { name, exact: false }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
}
