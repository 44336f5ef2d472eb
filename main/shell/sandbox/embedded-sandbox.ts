import { EventEmitter } from 'node:events'
import path from 'node:path'
import type { SandboxHealth } from '../../../shared/ipc/ipc.ts'
import type { FromSandbox, ToSandbox } from '../../../shared/ipc/sandbox-protocol.ts'
import { writeDurably } from '../../local-files/durable-file.ts'
import { isSandboxAddress, sandboxFile, sandboxPort } from '../../local-files/try-out.ts'

const CLOSE_TIMEOUT_MS = 5_000

/** The part of Electron's `UtilityProcess` that `EmbeddedSandbox` uses. */
export type SandboxChild = {
  postMessage(message: ToSandbox): void
  on(event: 'message', listener: (message: FromSandbox) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  kill(): boolean
}

type RunningSandbox = { readonly child: SandboxChild; readonly baseUrl: string; readonly key: string }

/**
 * The built-in sandbox, in its own process. It keeps its port and data, so a station that uses the sandbox finds it
 * again at the next start. The main process keeps the sandbox's key only in memory, and uses it only for the sandbox's
 * address.
 */
export class EmbeddedSandbox extends EventEmitter<{ health: [SandboxHealth] }> {
  readonly #folder: string
  readonly #dataFolder: string
  readonly #fork: (args: readonly string[]) => SandboxChild
  #runningSandbox: Promise<RunningSandbox> | null = null
  #access: { readonly baseUrl: string; readonly key: string } | null = null
  #health: SandboxHealth = { state: 'off' }
  #isClosing = false

  constructor(dataFolder: string, fork: (args: readonly string[]) => SandboxChild) {
    super()
    this.#folder = path.join(dataFolder, 'sandbox')
    this.#dataFolder = dataFolder
    this.#fork = fork
  }

  get health(): SandboxHealth {
    return this.#health
  }

  async start(): Promise<string> {
    this.#runningSandbox ??= this.#open()
    try {
      const { baseUrl, key } = await this.#runningSandbox
      this.#access = { baseUrl, key }
      return baseUrl
    } catch (error) {
      this.#handleStop((error as Error).message)
      throw error
    }
  }

  /** Whether `baseUrl` is the sandbox's address, even while the sandbox is not running. */
  hasAddress(baseUrl: string | undefined): boolean {
    const port =
      this.#access === null ? sandboxPort(this.#dataFolder) : Number(new URL(this.#access.baseUrl).port)
    return baseUrl !== undefined && port !== null && isSandboxAddress(baseUrl, port)
  }

  /** Starts the sandbox if `baseUrl` is its address, and returns whether it is. Throws if the sandbox cannot start. */
  async startIfUsed(baseUrl: string | undefined): Promise<boolean> {
    if (!this.hasAddress(baseUrl)) return false
    await this.start()
    return true
  }

  keyFor(baseUrl: string | undefined): string | null {
    if (this.#access === null) return null
    return baseUrl === undefined || this.hasAddress(baseUrl) ? this.#access.key : null
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const runningSandbox = await this.#runningSandbox?.catch(() => null)
    if (runningSandbox == null) return
    const { child } = runningSandbox
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill(), CLOSE_TIMEOUT_MS)
      child.on('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      child.postMessage({ kind: 'shutdown' })
    })
  }

  #open(): Promise<RunningSandbox> {
    const port = sandboxPort(this.#dataFolder)
    const child = this.#fork(['--data', this.#folder, ...(port === null ? [] : ['--port', String(port)])])
    return new Promise((resolve, reject) => {
      let failure: Error | null = null
      /** Kills the process. The promise rejects only after its exit, so that no second process uses the same folder. */
      const end = (error: Error) => {
        failure = error
        child.kill()
      }
      child.on('message', (message) => {
        switch (message.kind) {
          case 'running':
            try {
              this.#savePort(message.baseUrl)
            } catch (error) {
              end(error as Error)
              return
            }
            this.#setHealth({ state: 'running', baseUrl: message.baseUrl })
            resolve({ child, baseUrl: message.baseUrl, key: message.key })
            return
          case 'cannot-run':
            end(new Error(message.message))
            return
        }
      })
      child.on('exit', (code) => {
        const reason = `Its process ended with code ${code}.`
        reject(failure ?? new Error(reason))
        if (this.#health.state === 'running') this.#handleStop(reason)
      })
    })
  }

  /** Throws if the port cannot be saved, for example on a full disk. */
  #savePort(baseUrl: string): void {
    writeDurably(sandboxFile(this.#dataFolder), JSON.stringify({ port: Number(new URL(baseUrl).port) }))
  }

  /** No automatic restart: the cause may persist, and no real recordings depend on the sandbox. */
  #handleStop(reason: string): void {
    this.#runningSandbox = null
    // Any program can take the sandbox's port now, so Sluice must not send the key there until the sandbox runs again.
    this.#access = null
    if (!this.#isClosing) this.#setHealth({ state: 'stopped', reason })
  }

  #setHealth(health: SandboxHealth): void {
    this.#health = health
    this.emit('health', health)
  }
}
