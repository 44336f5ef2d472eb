import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeRandomFile } from './kill-repeatedly.ts'
import { seeded } from './seeded.ts'
import { AgentProcess, Station } from './station.ts'

type ListedSession = { readonly id: string; readonly filename: string; readonly site: string }

export const isDone = (file: string) => (line: { path: string; state: string }) =>
  line.path === file && line.state === 'processed'

/** A headless station that an administrator manages by a settings file and a key file. */
export class ManagedStation {
  readonly station: Station
  readonly random = seeded(5)
  readonly #agents: AgentProcess[] = []

  constructor(station: Station) {
    this.station = station
    writeFileSync(this.at('key'), `${station.sandbox.keys.write}\n`, { mode: 0o600 })
  }

  static async open(): Promise<ManagedStation> {
    return new ManagedStation(await Station.open())
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) await agent.kill()
    await this.station.close()
  }

  at(name: string): string {
    return path.join(this.station.root, name)
  }

  async record(name: string): Promise<string> {
    const file = path.join(this.station.recordings, name)
    mkdirSync(path.dirname(file), { recursive: true })
    await writeRandomFile(file, 900 + name.length, this.random)
    return file
  }

  settings(folder: object = {}, rest: object = {}) {
    const { sandbox, recordings } = this.station
    return {
      service: { base_url: sandbox.baseUrl, api_key_file: this.at('key') },
      folders: [{ path: recordings, site: 'lab', settle_seconds: 0.3, ...folder }],
      follow: { poll_seconds: 0.2 },
      ...rest,
    }
  }

  /** Replaces the managed settings atomically, as deployment tools do. */
  rollOut(content: unknown): void {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(this.at('managed.new'), text, { mode: 0o600 })
    renameSync(this.at('managed.new'), this.at('managed.json'))
  }

  start(...flags: string[]): AgentProcess {
    const managed = this.at('managed.json')
    const agent = new AgentProcess([
      'run',
      '--data',
      this.station.data,
      '--managed',
      managed,
      '--json',
      ...flags,
    ])
    this.#agents.push(agent)
    return agent
  }

  async sessionOf(name: string): Promise<ListedSession | undefined> {
    const answer = await this.station.sandbox.api('/v1/sessions?limit=500')
    const { data } = (await answer.json()) as { data: ListedSession[] }
    return data.find(({ filename }) => filename === name)
  }
}
