import path from 'node:path'
import { app, type BrowserWindow, nativeTheme } from 'electron'
import { ON_SETUP } from '../../../shared/ipc/channel.ts'
import { systemOf } from '../../../shared/ipc/system.ts'
import { appIconFile } from '../icon-file.ts'
import { PageRest } from './page-unloader.ts'
import { openMainWindow, showWindow } from './window.ts'

type Options = {
  readonly dataFolder: string
  /** The folder that main, preload and renderer are built into. */
  readonly builtFolder: string
  readonly pageUrl: string
  readonly locale: string
  readonly startHidden: boolean
  readonly letGoAfterMs: number
  /** The station is not set up yet: the page opens on its first run. */
  readonly isNew: () => boolean
  readonly onHidden: () => void
  readonly log: (message: string) => void
}

/** The window and its page: opened hidden, shown once it can be read, hidden again where somebody closes it. */
export class MainWindow {
  readonly window: BrowserWindow
  readonly page: PageRest
  readonly #onHidden: () => void
  #wantsShown: boolean
  #isEnding = false

  constructor(options: Options) {
    const { startHidden, letGoAfterMs, log } = options
    this.#wantsShown = !startHidden
    this.#onHidden = options.onHidden
    this.window = this.#open(options)
    const load = () => this.#load(options)
    if (!startHidden) void load()
    this.page = new PageRest({
      window: this.window,
      afterMs: letGoAfterMs,
      startsWithout: startHidden,
      load,
      log,
    })
  }

  /** Brings it to the front, at a place if one is given. */
  show(to: string): void {
    this.#wantsShown = true
    this.page.show(to)
  }

  /** Once the first page can be read, or at once where nobody waits for one. */
  firstDrawn(): Promise<unknown> {
    return this.#wantsShown ? this.page.firstDrawn() : Promise.resolve()
  }

  /** From now on closing it closes it. */
  end(): void {
    this.#isEnding = true
  }

  #open({ builtFolder, dataFolder, locale, log }: Options): BrowserWindow {
    const window = openMainWindow({
      locale,
      preload: path.join(builtFolder, 'preload/index.cjs'),
      icon: path.join(builtFolder, 'icons', appIconFile(systemOf(process.platform))),
      stateFile: path.join(dataFolder, 'window.json'),
      dark: nativeTheme.shouldUseDarkColors,
      isLetGo: () => this.page.isGone,
      log,
    })
    // Shown once it can be read, so that nobody sees a white flash in a dark room, or an empty window.
    window.once('ready-to-show', async () => {
      await this.page.firstDrawn()
      if (this.#wantsShown && !window.isDestroyed()) showWindow(window)
    })
    // Windows is about to end every process of this person. The journal covers what does not get done in time.
    window.on('session-end', () => app.quit())
    window.on('close', (event) => {
      if (this.#isEnding) return
      event.preventDefault()
      window.hide()
      this.#onHidden()
    })
    return window
  }

  /** What it opens on is read beside its first questions, instead of after the answers. */
  #load({ pageUrl, isNew }: Options): Promise<void> {
    return this.window.loadURL(isNew() ? `${pageUrl}${ON_SETUP}` : pageUrl)
  }
}
