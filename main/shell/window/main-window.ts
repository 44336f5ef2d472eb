import path from 'node:path'
import { app, type BrowserWindow, nativeTheme } from 'electron'
import { SETUP_HASH } from '../../../shared/ipc/channel.ts'
import { systemOf } from '../../../shared/ipc/system.ts'
import { appIconFile } from '../icon-file.ts'
import { PageUnloader } from './page-unloader.ts'
import { openMainWindow, showWindow } from './window.ts'

type Options = {
  readonly dataFolder: string
  /** The build output of main, preload and renderer. */
  readonly builtFolder: string
  readonly pageUrl: string
  readonly locale: string
  readonly startsHidden: boolean
  readonly unloadAfterMs: number
  /** Whether the station is not set up yet. The page then loads the setup early. */
  readonly isNew: () => boolean
  readonly onHidden: () => void
  readonly log: (message: string) => void
}

/**
 * The window and its page. Creates the window hidden, shows it after the first paint, and hides it when the user closes
 * it.
 */
export class MainWindow {
  readonly window: BrowserWindow
  readonly page: PageUnloader
  readonly #onHidden: () => void
  #shouldShow: boolean
  #isEnding = false

  constructor(options: Options) {
    const { startsHidden, unloadAfterMs, log } = options
    this.#shouldShow = !startsHidden
    this.#onHidden = options.onHidden
    this.window = this.#open(options)
    const load = () => this.#load(options)
    if (!startsHidden) void load()
    this.page = new PageUnloader({
      window: this.window,
      afterMs: unloadAfterMs,
      startsUnloaded: startsHidden,
      load,
      log,
    })
  }

  /** Brings the window to the front and opens the screen `to`. An empty `to` keeps the current screen. */
  show(to: string): void {
    this.#shouldShow = true
    this.page.show(to)
  }

  /** Resolves after the first paint or a timeout, or at once if the window starts hidden. */
  waitForFirstDraw(): Promise<unknown> {
    return this.#shouldShow ? this.page.waitForFirstDraw() : Promise.resolve()
  }

  /** From now on, closing the window really closes it. */
  end(): void {
    this.#isEnding = true
  }

  #open({ builtFolder, dataFolder, locale, log }: Options): BrowserWindow {
    const window = openMainWindow({
      locale,
      preload: path.join(builtFolder, 'preload/index.cjs'),
      icon: path.join(builtFolder, 'icons', appIconFile(systemOf(process.platform))),
      stateFile: path.join(dataFolder, 'window.json'),
      isDark: nativeTheme.shouldUseDarkColors,
      isUnloaded: () => this.page.isUnloaded,
      log,
    })
    // Show the window after the first paint, to avoid an empty window and a white flash in a dark room.
    window.once('ready-to-show', async () => {
      await this.page.waitForFirstDraw()
      if (this.#shouldShow && !window.isDestroyed()) showWindow(window)
    })
    // At sign-out or shutdown, Windows ends every process of this user, so quit before that. If the time is too short
    // for a clean stop, the journal still keeps unfinished work safe.
    window.on('session-end', () => app.quit())
    window.on('close', (event) => {
      if (this.#isEnding) return
      event.preventDefault()
      window.hide()
      this.#onHidden()
    })
    return window
  }

  /** With the hash, the page loads the setup while its first calls are still running. */
  #load({ pageUrl, isNew }: Options): Promise<void> {
    return this.window.loadURL(isNew() ? `${pageUrl}${SETUP_HASH}` : pageUrl)
  }
}
