import { EventEmitter } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BrowserContext, chromium, type Frame, type Page } from 'playwright-core'
import { browserArguments, browserPath, pageBrowserPath } from '../support/browser.ts'

/**
 * Replaces Electron's window with a real Chromium. If no installed Chromium can open a window, the stand-in uses a
 * headless one. The page uses the app's own preload and page protocol.
 */

/** Chromium cannot load `sluice:` URLs, so the page has this origin. Chromium treats it as a secure origin. */
const ORIGIN = 'http://sluice.localhost'
const toBrowser = (address: string) => address.replace(/^sluice:\/\/app/, ORIGIN)
const fromBrowser = (address: string) => address.replace(ORIGIN, 'sluice://app')

type Handler = (event: { readonly senderFrame: CallingFrame }, args: unknown) => Promise<unknown>
type CallingFrame = { readonly url: string; readonly parent: object | null }

const handlers = new Map<string, Handler>()
export const ipcMain = {
  handle: (channel: string, handler: Handler) => void handlers.set(channel, handler),
  on: () => {},
}

/** The answer format of Electron's `registerFileProtocol`: a file to load, or an error number of Chromium. */
type ServedFile =
  | { readonly path: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly error: number }
type Serve = (request: { readonly url: string }, answer: (file: ServedFile) => void) => void

let serve: Serve = (_, answer) => answer({ error: -6 })
export const protocol = {
  registerSchemesAsPrivileged: () => {},
  registerFileProtocol: (_scheme: string, handler: Serve) => {
    serve = handler
  },
}

const area = { x: 0, y: 0, width: 1600, height: 1000 }
export const screen = { getAllDisplays: () => [{ workArea: area }] }

/**
 * Gives the preload a `require` that returns a replacement for Electron. Unlike in Electron, the preload runs in the
 * same JavaScript world as the page.
 */
const preloadScript = (code: string, args: readonly string[]): string => `{
  const listeners = new Map();
  window.standInEvent = (channel, value) => { for (const listener of listeners.get(channel) ?? []) listener({}, value) };
  const electron = {
    webUtils: { getPathForFile: (file) => '/dropped/' + file.name },
    contextBridge: { exposeInMainWorld: (name, api) => { window[name] = api } },
    ipcRenderer: {
      invoke: (channel, args) => window.standInCall(channel, args),
      on: (channel, listener) => listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
      off: (channel, listener) => listeners.set(channel, (listeners.get(channel) ?? []).filter((one) => one !== listener)),
    },
  };
  const exports = {}, module = { exports }, process = { argv: ${JSON.stringify(args)} };
  ((require) => { ${code} })(() => electron);
}`

type OpenBrowser = { readonly context: BrowserContext; readonly profile: string }
let openBrowser: OpenBrowser | null = null

export const closeBrowser = async (): Promise<void> => {
  if (openBrowser === null) return
  await openBrowser.context.close()
  rmSync(openBrowser.profile, { recursive: true, force: true, maxRetries: 5 })
}

type WindowOptions = {
  readonly width: number
  readonly height: number
  readonly show: boolean
  readonly webPreferences: { readonly preload: string; readonly additionalArguments: readonly string[] }
}

export class BrowserWindow extends EventEmitter {
  static readonly all: BrowserWindow[] = []
  readonly webContents = Object.assign(new EventEmitter(), {
    send: (channel: string, value: unknown) => void this.#send(channel, value),
    reload: () => void this.#page?.reload(),
    isCrashed: () => false,
  })
  readonly #options: WindowOptions
  #page: Page | null = null
  #isShown: boolean

  constructor(options: WindowOptions) {
    super()
    this.#options = options
    this.#isShown = options.show
    BrowserWindow.all.push(this)
  }

  isVisible = () => this.#isShown
  isMinimized = () => false
  isMaximized = () => false
  isDestroyed = () => false
  getNormalBounds = () => ({ x: 0, y: 0, width: this.#options.width, height: this.#options.height })
  focus = () => {}
  readonly progress: string[] = []
  setProgressBar = (done: number, options?: { readonly mode: string }) => {
    const mode = done < 0 ? 'none' : (options?.mode ?? 'normal')
    if (this.progress.at(-1) !== mode) this.progress.push(mode)
  }
  show = () => {
    this.#isShown = true
    this.emit('show')
  }
  hide = () => {
    this.#isShown = false
    this.emit('hide')
  }
  close = () => this.emit('close', { preventDefault: () => {} })

  async loadURL(address: string): Promise<void> {
    const { width, height, webPreferences } = this.#options
    const { preload, additionalArguments } = webPreferences
    const profile = mkdtempSync(path.join(tmpdir(), 'sluice-stand-in-'))
    const context = await chromium.launchPersistentContext(profile, {
      ...(pageBrowserPath === undefined ? {} : { executablePath: browserPath ?? pageBrowserPath }),
      headless: browserPath === undefined,
      viewport: null,
      args: [...browserArguments, `--window-size=${width},${height}`, '--remote-debugging-port=0'],
    })
    openBrowser = { context, profile }
    const [page = await context.newPage()] = context.pages()
    await page.exposeBinding('standInCall', ({ frame }, channel: string, args: unknown) =>
      answer(frame, channel, args),
    )
    await page.addInitScript(preloadScript(readFileSync(preload, 'utf8'), additionalArguments))
    await page.route(`${ORIGIN}/**`, (route) =>
      serve({ url: fromBrowser(route.request().url()) }, (file) =>
        'error' in file ? route.abort() : route.fulfill({ headers: { ...file.headers }, path: file.path }),
      ),
    )
    await page.goto(toBrowser(address))
    this.#page = page
    this.emit('ready-to-show')
    const [port] = readFileSync(path.join(profile, 'DevToolsActivePort'), 'utf8').split('\n')
    process.send?.({ kind: 'window', debugUrl: `http://127.0.0.1:${port}` })
  }

  /** A message may be lost before the page is loaded. This does no harm: a loading page requests the current values. */
  async #send(channel: string, value: unknown): Promise<void> {
    await this.#page
      ?.evaluate(([to, what]) => (window as unknown as PreloadedWindow).standInEvent(to, what), [
        channel,
        value,
      ] as const)
      // Fails only while the page closes or reloads.
      .catch(() => undefined)
  }
}

type PreloadedWindow = { readonly standInEvent: (channel: string, value: unknown) => void }

const answer = (frame: Frame, channel: string, args: unknown): Promise<unknown> => {
  const handler = handlers.get(channel)
  if (handler === undefined) throw new Error(`there is no handler for ${channel}`)
  return handler({ senderFrame: { url: fromBrowser(frame.url()), parent: frame.parentFrame() } }, args)
}
