import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserWindow } from 'electron'
import { pushEvent } from '../calls/bind-calls.ts'
import { collectGarbage, endPage } from './unload-page.ts'
import { showWindow } from './window.ts'

type Options = {
  readonly window: BrowserWindow
  /** How long a window has to be hidden. */
  readonly afterMs: number
  /** Begins without a page: nobody has asked for the window yet. */
  readonly startsWithout: boolean
  readonly load: () => Promise<void>
  readonly log: (message: string) => void
}

/** A page that never says that it is drawn is shown all the same, and keeps nothing from starting. */
const LATEST_DRAWN_MS = 2_000

/** Where the page was when it was let go; read by the next page only, and kept nowhere else. */
type Left = { readonly view: string | null; readonly to: string }

const nothingLeft: Left = { view: null, to: '' }

/**
 * Lets the page of a hidden window go: a third of the memory of a station in the tray is a page that nobody sees. It is
 * asked first, says where it is, and does not answer while something typed would be lost. The window itself stays,
 * hidden and nearly free, because Windows tells only a window that the person signs out.
 */
export class PageRest {
  readonly #options: Options
  readonly #drawn = Promise.withResolvers<void>()
  #left: Left = nothingLeft
  #isGone: boolean
  #timer: NodeJS.Timeout | null = null

  constructor(options: Options) {
    const { window, startsWithout } = options
    this.#options = options
    this.#isGone = startsWithout
    window.on('hide', () => this.#wait())
    window.on('show', () => this.#stopWaiting())
    window.on('closed', () => this.#stopWaiting())
    window.webContents.on('render-process-gone', () => this.#isGone && collectGarbage())
  }

  /** On purpose: it is not to be loaded again by itself. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** The page's own word: Chromium calls a page painted that has nothing in it yet. */
  drawn(): void {
    this.#drawn.resolve()
  }

  /** Once the first page can be read. */
  firstDrawn(): Promise<unknown> {
    return Promise.race([this.#drawn.promise, sleep(LATEST_DRAWN_MS)])
  }

  /** The page's answer. One that comes after the window was shown again is late. */
  keep(view: string): void {
    const { window, log } = this.#options
    if (this.#isGone || window.isVisible()) return
    this.#isGone = true
    this.#left = { view, to: '' }
    this.#stopWaiting()
    try {
      endPage(window.webContents.getOSProcessId())
    } catch (error) {
      log(`the page could not be let go: ${(error as Error).message}`)
    }
  }

  /** Asked by each page once, at its start. */
  take(): Left {
    const left = this.#left
    this.#left = nothingLeft
    return left
  }

  /** Brings the window to the front, with its page; at a place, or where it was. */
  show(to: string): void {
    const { window, load, log } = this.#options
    if (!this.#isGone) {
      showWindow(window)
      if (to !== '') pushEvent(window, 'navigate', { to })
      return
    }
    this.#isGone = false
    if (to !== '') this.#left = { view: null, to }
    load()
      .catch((error: Error) => log(`the page could not be loaded: ${error.message}`))
      .finally(() => window.isDestroyed() || showWindow(window))
  }

  #wait(): void {
    this.#stopWaiting()
    // Again and again: a page with something unsaved in it does not answer.
    this.#timer = setInterval(() => {
      if (!this.#isGone) pushEvent(this.#options.window, 'rest', null)
    }, this.#options.afterMs)
  }

  #stopWaiting(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}
