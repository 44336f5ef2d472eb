import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { SandboxHealth } from '../../../shared/ipc/ipc.ts'
import type { FromSandbox, ToSandbox } from '../../../shared/ipc/sandbox-protocol.ts'
import { writeDurably } from '../../local-files/durable-file.ts'

const CLOSE_MS = 5_000

/** What is used of Electron's UtilityProcess. */
export type SandboxChild = {
  postMessage(message: ToSandbox): void
  on(event: 'message', listener: (message: FromSandbox) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  kill(): boolean
}

type Running = { readonly child: SandboxChild; readonly baseUrl: string; readonly key: string }

const placeSchema = z.object({ port: z.number().int().min(1).max(65_535) })

/**
 * The service of the try-out, in a process of its own. It keeps its port and its data, so that a station that
 * was set up with it finds it again at the next start. Its key stays in memory and is used for its address only.
 */
export class EmbeddedSandbox extends EventEmitter<{ health: [SandboxHealth] }> {
  readonly #folder: string
  readonly #file: string
  readonly #fork: (args: readonly string[]) => SandboxChild
  #running: Promise<Running> | null = null
  #place: { readonly baseUrl: string; readonly key: string } | null = null
  #health: SandboxHealth = { state: 'off' }
  #closing = false

  constructor(dataFolder: string, fork: (args: readonly string[]) => SandboxChild) {
    super()
    this.#folder = path.join(dataFolder, 'sandbox')
    this.#file = path.join(dataFolder, 'sandbox.json')
    this.#fork = fork
  }

  get health(): SandboxHealth {
    return this.#health
  }

  async start(): Promise<string> {
    this.#running ??= this.#open()
    try {
      const { baseUrl, key } = await this.#running
      this.#place = { baseUrl, key }
      writeDurably(this.#file, JSON.stringify({ port: Number(new URL(baseUrl).port) }))
      return baseUrl
    } catch (error) {
      this.#stopped((error as Error).message)
      throw error
    }
  }

  /** Whether a station with this address tries Sluice out; also while the sandbox does not run. */
  isAt(baseUrl: string | undefined): boolean {
    const port = this.#place === null ? this.#keptPort() : Number(new URL(this.#place.baseUrl).port)
    if (baseUrl === undefined || port === null) return false
    const { protocol, hostname, port: wanted } = new URL(baseUrl)
    return protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && Number(wanted) === port
  }

  /** Only where the station's address is the one the sandbox has: says whether it runs now. */
  async startIfUsed(baseUrl: string | undefined): Promise<boolean> {
    if (!this.isAt(baseUrl)) return false
    await this.start()
    return true
  }

  keyFor(baseUrl: string | undefined): string | null {
    if (this.#place === null) return null
    return baseUrl === undefined || this.isAt(baseUrl) ? this.#place.key : null
  }

  async close(): Promise<void> {
    this.#closing = true
    const running = await this.#running?.catch(() => null)
    if (running == null) return
    const { child } = running
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill(), CLOSE_MS)
      child.on('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      child.postMessage({ kind: 'shutdown' })
    })
  }

  #open(): Promise<Running> {
    const port = this.#keptPort()
    const child = this.#fork(['--data', this.#folder, ...(port === null ? [] : ['--port', String(port)])])
    return new Promise((resolve, reject) => {
      child.on('message', (message) => {
        switch (message.kind) {
          case 'running':
            this.#setHealth({ state: 'running', baseUrl: message.baseUrl })
            resolve({ child, baseUrl: message.baseUrl, key: message.key })
            return
          case 'cannot-run':
            reject(new Error(message.message))
            child.kill()
            return
        }
      })
      child.on('exit', (code) => {
        const reason = `Its process ended with code ${code}.`
        reject(new Error(reason))
        if (this.#health.state === 'running') this.#stopped(reason)
      })
    })
  }

  /** Not started again by itself: what made it end may well be there still, and nobody records to a try-out. */
  #stopped(reason: string): void {
    this.#running = null
    // Its port is anybody's now: nothing is sent there until it is back.
    this.#place = null
    if (!this.#closing) this.#setHealth({ state: 'stopped', reason })
  }

  #setHealth(health: SandboxHealth): void {
    this.#health = health
    this.emit('health', health)
  }

  #keptPort(): number | null {
    try {
      return placeSchema.parse(JSON.parse(readFileSync(this.#file, 'utf8'))).port
    } catch {
      return null
    }
  }
}
