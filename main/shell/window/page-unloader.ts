import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserWindow } from 'electron'
import { collectGarbage } from '../../memory/collect-garbage.ts'
import { pushEvent } from '../calls/bind-calls.ts'
import { killPage } from './unload-page.ts'
import { showWindow } from './window.ts'

type Options = {
  readonly window: BrowserWindow
  /** Unloads the page after the window has been hidden for this long. */
  readonly afterMs: number
  /** Whether to start without a page, because the window starts hidden. */
  readonly startsUnloaded: boolean
  readonly load: () => Promise<void>
  readonly log: (message: string) => void
}

/** The window appears and the agent starts after this time at the latest, even without a first paint. */
const FIRST_DRAW_TIMEOUT_MS = 2_000

/** What the next page opens: the view of the unloaded page, or the screen `to`. */
type SavedView = { readonly view: string | null; readonly to: string }

const noView: SavedView = { view: null, to: '' }

/**
 * Unloads the page of a hidden window, because the page takes a third of the memory that Sluice uses in the tray. Asks
 * the page for its view first. A page with unsaved input does not answer, so it stays loaded. The hidden window itself
 * stays, because Windows reports a sign-out only to programs with a window.
 */
export class PageUnloader {
  readonly #options: Options
  readonly #firstDraw = Promise.withResolvers<void>()
  #savedView: SavedView = noView
  #isUnloaded: boolean
  #timer: NodeJS.Timeout | null = null

  constructor(options: Options) {
    const { window, startsUnloaded } = options
    this.#options = options
    this.#isUnloaded = startsUnloaded
    window.on('hide', () => this.#startTimer())
    window.on('show', () => this.#stopTimer())
    window.on('closed', () => this.#stopTimer())
    window.webContents.on('render-process-gone', () => this.#isUnloaded && collectGarbage())
  }

  /** Whether the window has no page on purpose. If so, Sluice must not treat the missing page as a crash. */
  get isUnloaded(): boolean {
    return this.#isUnloaded
  }

  /** The page calls this after its first paint. `ready-to-show` is too early: it also fires for an empty page. */
  noteDrawn(): void {
    this.#firstDraw.resolve()
  }

  /** Resolves after the first paint of the page, or after a timeout. */
  waitForFirstDraw(): Promise<unknown> {
    return Promise.race([this.#firstDraw.promise, sleep(FIRST_DRAW_TIMEOUT_MS)])
  }

  /** The page calls this as its answer to `unloadRequest`. Unloads the page, unless the window has been shown again. */
  saveView(view: string): void {
    const { window, log } = this.#options
    if (this.#isUnloaded || window.isVisible()) return
    this.#isUnloaded = true
    this.#savedView = { view, to: '' }
    this.#stopTimer()
    try {
      killPage(window.webContents.getOSProcessId())
    } catch (error) {
      log(`the page could not be unloaded: ${(error as Error).message}`)
    }
  }

  /** Each page calls this once, at its start. */
  takeSavedView(): SavedView {
    const savedView = this.#savedView
    this.#savedView = noView
    return savedView
  }

  /** Brings the window to the front. If the page is unloaded, loads the screen `to` or the last view. */
  show(to: string): void {
    const { window, load, log } = this.#options
    if (!this.#isUnloaded) {
      showWindow(window)
      if (to !== '') pushEvent(window, 'navigate', { to })
      return
    }
    this.#isUnloaded = false
    if (to !== '') this.#savedView = { view: null, to }
    load()
      .catch((error: Error) => log(`the page could not be loaded: ${error.message}`))
      .finally(() => window.isDestroyed() || showWindow(window))
  }

  #startTimer(): void {
    this.#stopTimer()
    // The page does not answer while it has unsaved input, so repeat the request.
    this.#timer = setInterval(() => {
      if (!this.#isUnloaded) pushEvent(this.#options.window, 'unloadRequest', null)
    }, this.#options.afterMs)
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}
