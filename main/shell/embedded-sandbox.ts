import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts'
import { writeDurably } from './durable-file.ts'

type RunningSandbox = Pick<Sandbox, 'baseUrl' | 'close'> & { readonly keys: { readonly write: string } }
type StartSandbox = (options: SandboxOptions) => Promise<RunningSandbox>

const placeSchema = z.object({ port: z.number().int().min(1).max(65_535) })

/** Loaded only when somebody asks for it, so that the ordinary start does not pay for it. */
const loadSandbox = async (): Promise<StartSandbox> => (await import('../../sandbox/server.ts')).startSandbox

/**
 * The service of the try-out, inside the app. It keeps its port and its data, so that a station that was set
 * up with it finds it again at the next start. Its key stays in memory and is used for its address only.
 */
export class EmbeddedSandbox {
  readonly #folder: string
  readonly #file: string
  readonly #load: () => Promise<StartSandbox>
  #running: Promise<RunningSandbox> | null = null
  #place: { readonly baseUrl: string; readonly key: string } | null = null

  constructor(dataFolder: string, load: () => Promise<StartSandbox> = loadSandbox) {
    this.#folder = path.join(dataFolder, 'sandbox')
    this.#file = path.join(dataFolder, 'sandbox.json')
    this.#load = load
  }

  async start(): Promise<string> {
    this.#running ??= this.#open()
    try {
      const { baseUrl, keys } = await this.#running
      this.#place = { baseUrl, key: keys.write }
      writeDurably(this.#file, JSON.stringify({ port: Number(new URL(baseUrl).port) }))
      return baseUrl
    } catch (error) {
      this.#running = null
      throw error
    }
  }

  /** At the start of the app: only where the station's address is the one the sandbox had. */
  async startIfUsed(baseUrl: string | undefined): Promise<void> {
    const port = this.#keptPort()
    if (baseUrl === undefined || port === null || Number(new URL(baseUrl).port) !== port) return
    if (!['127.0.0.1', 'localhost'].includes(new URL(baseUrl).hostname)) return
    await this.start()
  }

  keyFor(baseUrl: string | undefined): string | null {
    if (this.#place === null) return null
    return baseUrl === undefined || baseUrl === this.#place.baseUrl ? this.#place.key : null
  }

  async close(): Promise<void> {
    const running = await this.#running?.catch(() => null)
    await running?.close()
  }

  async #open(): Promise<RunningSandbox> {
    const start = await this.#load()
    const port = this.#keptPort()
    return start({ dataFolder: this.#folder, ...(port === null ? {} : { port }) })
  }

  #keptPort(): number | null {
    try {
      return placeSchema.parse(JSON.parse(readFileSync(this.#file, 'utf8'))).port
    } catch {
      return null
    }
  }
}
