import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ElectronApplication, Page } from 'playwright-core'
import type { SettingsInput } from '../../shared/settings/settings.ts'
import { launchStandIn, standInProgram } from '../stand-in/app.ts'
import { browser } from '../support/browser.ts'
import type { Need } from '../support/needs.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { until } from '../support/station.ts'
import { callFromPage } from './call-from-page.ts'
import { launchElectron } from './electron-app.ts'
import { RestartingAgent, usesOutsideAgent } from './restarting-agent.ts'

/**
 * The real app: main process, agent and page, started like `npm start`. If there is no Electron for this machine, a
 * stand-in replaces Electron.
 */

/** Reads the variable on each call, because a soak test sets it after this module is loaded. */
const electronPath = () => process.env.SLUICE_ELECTRON
const hasElectron = () => electronPath() !== undefined
/** Tests of the tray, the keychain and the start need a real Electron. */
export const electron: Need = () => (hasElectron() ? null : 'Electron')
export const window: Need = () =>
  hasElectron() || process.env.SLUICE_STAND_IN === undefined ? electron() : browser()

const launcherArgs = () => JSON.parse(process.env.SLUICE_ELECTRON_ARGS ?? '[]') as readonly string[]
export const electronCommand = () => [electronPath() ?? '', launcherArgs()] as const
export const root = path.join(import.meta.dirname, '../..')

/** The timeout of each wait on the page: about ten times the usual duration on two cores. */
export const WAIT_MS = 120_000
/** Longer than a normal quit: the app stops waiting for its uploads after five seconds. */
const CLOSE_MS = 20_000

/** Tests never use the user's keychain. keychain.test.ts starts its own. */
const NO_KEYCHAIN = ['--password-store=basic']

export type App = {
  readonly child: ChildProcess
  readonly page: Page
  /** Quits as a user does. */
  readonly quit: () => Promise<void>
  /** Runs a function in the main process. Works only with the real Electron. */
  readonly inMain: ElectronApplication['evaluate']
  readonly isShown: () => Promise<boolean>
  readonly closeWindow: () => Promise<void>
  readonly pidOf: (name: 'Sluice agent' | 'Sluice sandbox') => Promise<number | null>
  /** From now on, records each change of the progress bar's mode in the taskbar or dock. */
  readonly watchProgress: () => Promise<() => Promise<readonly string[]>>
  /** Simulates a sign-out on Windows, or a shutdown on other systems. */
  readonly endSession: (how: 'session-end' | 'shutdown') => Promise<void>
  /** Simulates the event that Electron sends when the PC wakes up. */
  readonly wake: () => Promise<void>
  /** Sets the file that the user chooses in the next save dialogs. */
  readonly saveDialogsTo: (file: string) => Promise<void>
  /** Sets the file that the user chooses in the next open dialogs. */
  readonly openDialogsWith: (file: string) => Promise<void>
  /** Sets the user's answer to the next system dialogs. The returned function lists their questions. */
  readonly answerQuestions: (agree: boolean) => Promise<() => Promise<readonly string[]>>
}
export type Launch = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Record<string, string>
  readonly timeoutMs: number
}
export type StartOptions = {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Uses the stand-in even if there is a real Electron. */
  readonly standIn?: boolean
}

/** The environment of the app, without ELECTRON_RUN_AS_NODE: with this variable, the app would start as plain Node. */
export const appEnvironment = (extra: NodeJS.ProcessEnv = {}): Record<string, string> => {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = { ...process.env, ...extra }
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** The folders, the service and the apps of one test. `close` ends all of them, even if one of them fails to end. */
export class AppStation {
  readonly #base = mkdtempSync(path.join(tmpdir(), 'sluice-e2e-'))
  readonly data = this.folder('data')
  readonly recordings = this.folder('recordings')
  /** Login entries go here instead of the home folder of the user who runs the tests. */
  readonly config = this.folder('config')
  readonly #closers: (() => Promise<unknown>)[] = []
  #agent: RestartingAgent | null = null

  folder(name: string): string {
    const folder = path.join(this.#base, name)
    mkdirSync(folder)
    return folder
  }

  /** Calls `close` at the end of the test. */
  closeAtEnd(close: () => Promise<unknown>): void {
    this.#closers.push(close)
  }

  async startSandbox(flags: readonly string[] = []): Promise<SandboxProcess> {
    const sandbox = await SandboxProcess.start(path.join(this.#base, 'sandbox'), flags)
    this.#closers.push(() => sandbox.stop())
    return sandbox
  }

  /** Writes the administrator's settings file. On its first start, the app moves the API key out of this file. */
  writeSettings(settings: SettingsInput): void {
    writeFileSync(path.join(this.data, 'settings.json'), JSON.stringify(settings))
  }

  /** Starts the app and waits until its page shows a screen. */
  async startApp(options: StartOptions = {}): Promise<App> {
    const app = await this.openApp(options)
    await app.page.getByRole('heading', { level: 1 }).waitFor()
    const agent = this.#agent
    if (agent === null) return app
    await until('the window is attached', async () => {
      const health = await callFromPage(app.page, 'getAgentHealth')
      return health.state === 'running' && health.attached?.pid === agent.pid
    })
    const pidOf: App['pidOf'] = async (name) => (name === 'Sluice agent' ? agent.pid : app.pidOf(name))
    return { ...app, pidOf }
  }

  /** Starts the app and returns as soon as there is a page. */
  async openApp({ args = NO_KEYCHAIN, env = {}, standIn = !hasElectron() }: StartOptions = {}): Promise<App> {
    const launch = standIn ? launchStandIn : launchElectron
    if (usesOutsideAgent()) await this.startOutsideAgent(args, env)
    const app = await launch({
      program: electronPath() ?? process.execPath,
      args: [...this.#arguments(), ...args],
      cwd: root,
      env: appEnvironment({ XDG_CONFIG_HOME: this.config, ...env }),
      timeoutMs: WAIT_MS,
    })
    const quit = makeQuit(app)
    this.#closers.push(quit)
    app.page.setDefaultTimeout(WAIT_MS)
    return { ...app, quit }
  }

  /** Starts an agent outside the app, to which the next windows attach. */
  async startOutsideAgent(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    if (this.#agent !== null) return
    const agent = await RestartingAgent.start(this.data, args, env)
    this.#agent = agent
    this.#closers.push(() => agent.close())
  }

  /** Restarts the agent outside the app, if there is one. An agent reads its settings file only at its start. */
  async restartOutsideAgent(): Promise<void> {
    await this.#agent?.restart()
  }

  /** Starts an app that exits by itself, and returns its exit code and output. */
  async runApp(
    args: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const electron = electronPath()
    const [program, ...programArgs] = electron === undefined ? [process.execPath, standInProgram] : [electron]
    const child = spawn(program, [...programArgs, ...this.#arguments(), ...args], {
      cwd: root,
      env: appEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#closers.push(() => endChild(child))
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output: text }
  }

  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const close of this.#closers.splice(0).reverse())
      await close().catch((error) => failures.push(error))
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5 })
    if (failures.length > 0) throw failures[0]
  }

  #arguments(): string[] {
    return [root, ...launcherArgs(), '--data', this.data]
  }
}

/** Quits an app, or kills it if it does not end in time. */
const makeQuit =
  ({ child, quit }: App) =>
  async (): Promise<void> => {
    if (hasEnded(child)) return
    const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS)
    await quit().finally(() => clearTimeout(timer))
  }

export const endChild = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

export const goTo = async (page: Page, screen: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('button', { name: screen }).click()
}

/** Waits until the row of this recording shows this text. An error quotes what the page shows instead. */
export const waitForState = async (page: Page, name: string, state: string): Promise<void> => {
  const row = page.getByRole('row', { name: new RegExp(name) })
  try {
    await row.getByText(state, { exact: true }).waitFor()
  } catch (cause) {
    const [rows, headline, screen] = await Promise.all([
      row.allInnerTexts(),
      page.getByRole('heading', { level: 1 }).allInnerTexts(),
      page.getByRole('main').allInnerTexts(),
    ])
    const shown = JSON.stringify({ rows, headline, screen })
    throw new Error(`${name} does not show "${state}". The page shows ${shown}`, { cause })
  }
}
