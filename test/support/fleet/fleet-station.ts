import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SettingsInput } from '../../../shared/settings/settings.ts'
import { seeded } from '../seeded.ts'
import { AgentProcess, PART } from '../station.ts'
import { statusOf } from '../status-of.ts'
import { CountingProxy } from './counting-proxy.ts'

const TICKS_PER_SECOND = 100

/** A sandbox, or a server with a key that can upload. */
export type FleetService = { readonly baseUrl: string; readonly keys: { readonly write: string } }

/** One of many stations on this PC: its own site, folder and data folder, and the real agent. */
export class FleetStation {
  readonly site: string
  readonly proxy: CountingProxy
  readonly writtenFiles: string[] = []
  readonly #root: string
  readonly #random: () => number
  #agent: AgentProcess
  peakPssBytes = 0
  /** The processor time of the earlier agents of this station, which were killed. */
  #earlierCpuSeconds = 0

  private constructor(root: string, site: string, proxy: CountingProxy, seed: number) {
    this.#root = root
    this.site = site
    this.proxy = proxy
    this.#random = seeded(seed)
    this.#agent = this.#start()
  }

  static async open(folder: string, service: FleetService, number: number): Promise<FleetStation> {
    const site = `station-${String(number).padStart(2, '0')}`
    const root = path.join(folder, site)
    const proxy = await CountingProxy.startFor(service.baseUrl)
    mkdirSync(path.join(root, 'recordings'), { recursive: true })
    const settings = {
      service: { base_url: proxy.baseUrl, api_key: service.keys.write },
      folders: [{ path: path.join(root, 'recordings'), site, settle_seconds: 2, part_size_bytes: PART }],
    } satisfies SettingsInput
    writeFileSync(path.join(root, 'settings.json'), JSON.stringify(settings), { mode: 0o600 })
    return new FleetStation(root, site, proxy, number)
  }

  #start(): AgentProcess {
    const settings = path.join(this.#root, 'settings.json')
    return new AgentProcess(['run', '--settings', settings, '--data', this.data])
  }

  get data(): string {
    return path.join(this.#root, 'data')
  }

  /** Kills the agent with kill -9, then starts it as usual. */
  async killAndStart(): Promise<void> {
    this.#earlierCpuSeconds = this.cpuSeconds()
    await this.#agent.kill('SIGKILL')
    this.#agent = this.#start()
  }

  /** Writes a recording with unique content. */
  record(bytes: number): void {
    const file = path.join(this.#root, 'recordings', `take-${this.writtenFiles.length + 1}.bin`)
    const content = Buffer.alloc(bytes)
    for (let offset = 0; offset + 4 <= bytes; offset += 4096)
      content.writeUInt32LE(Math.floor(this.#random() * 2 ** 32), offset)
    writeFileSync(file, content)
    this.writtenFiles.push(file)
  }

  /** The recordings in the output of `status --json`; null while the agent has not created its journal yet. */
  recordings(): ReturnType<typeof statusOf>['recordings'] | null {
    try {
      return statusOf(this.data).recordings
    } catch {
      return null
    }
  }

  /** Returns the proportional memory (PSS) of the process. Memory that the stations share counts once in their sum. */
  measurePssBytes(): number {
    const rollup = readFileSync(`/proc/${this.#agent.child.pid}/smaps_rollup`, 'utf8')
    const bytes = Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024
    this.peakPssBytes = Math.max(this.peakPssBytes, bytes)
    return bytes
  }

  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#agent.child.pid}/stat`, 'utf8')
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
    return this.#earlierCpuSeconds + (user + system) / TICKS_PER_SECOND
  }

  /** Stops the agent. Returns an empty text, or the exit code and the output after a failure. */
  async end(): Promise<string> {
    this.#agent.child.kill('SIGTERM')
    const code = await this.#agent.ended
    return code === 0 ? '' : `${this.site} ended with ${code}: ${this.#agent.stderr.slice(-500)}`
  }

  async close(): Promise<void> {
    await this.#agent.kill('SIGKILL')
    await this.proxy.close()
  }
}
