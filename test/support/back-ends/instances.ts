import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { launchServer, type ServerProcess, serverCommand } from '../server-process.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { type Postgres, startPostgres } from './postgres.ts'

/** Server processes on one database and one storage, behind a proxy. */
export class Instances {
  readonly postgres: Postgres
  readonly #folder: string
  readonly #control: Balancer
  readonly #parts: Balancer
  readonly #bytes: string
  readonly #env: Readonly<Record<string, string>>
  #running: ServerProcess[] = []
  /** The output of instances that have ended. */
  #ended = ''

  private constructor(
    postgres: Postgres,
    folder: string,
    balancers: readonly [Balancer, Balancer],
    bytes: string,
    env: Readonly<Record<string, string>>,
  ) {
    this.postgres = postgres
    this.#folder = folder
    ;[this.#control, this.#parts] = balancers
    this.#bytes = bytes
    this.#env = env
  }

  /** Without `bytes`, all instances share a folder. */
  static async open(bytes?: string, env: Readonly<Record<string, string>> = {}): Promise<Instances> {
    const postgres = await startPostgres()
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-instances-'))
    const balancers = [await startBalancer(), await startBalancer()] as const
    return new Instances(postgres, folder, balancers, bytes ?? pathToFileURL(folder).href, env)
  }

  get address(): readonly string[] {
    return ['--database', this.postgres.url, '--bytes', this.#bytes]
  }

  get baseUrl(): string {
    return this.#control.url
  }

  get running(): readonly ServerProcess[] {
    return this.#running
  }

  get log(): string {
    return this.#ended + this.#running.map((instance) => instance.stderr()).join('')
  }

  async start(...flags: string[]): Promise<ServerProcess> {
    const common = [
      '--upload-url',
      this.#parts.url,
      '--min-part-size',
      '1000',
      '--rate-limit',
      '1000000',
      '--private-webhooks',
      'true',
    ]
    const instance = await launchServer([...this.address, ...common, ...flags], this.#env)
    this.#set([...this.#running, instance])
    return instance
  }

  async kill(instance: ServerProcess): Promise<void> {
    this.#set(this.#running.filter((other) => other !== instance))
    await instance.kill()
    this.#ended += instance.stderr()
  }

  /** An organisation with a key that can write. */
  async newKey(name = 'Lab'): Promise<string> {
    const org = await serverCommand(['org', 'create', name, ...this.address], this.#env)
    const { id } = JSON.parse(org.out)
    const made = await serverCommand(['key', 'create', '--org', id, '--write', ...this.address], this.#env)
    return JSON.parse(made.out).key
  }

  async close(): Promise<void> {
    for (const instance of this.#running) await instance.kill()
    await this.#control.close()
    await this.#parts.close()
    await this.postgres.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #set(running: ServerProcess[]): void {
    this.#running = running
    this.#control.setTargets(running.map(({ baseUrl }) => baseUrl))
    this.#parts.setTargets(running.map(({ partsUrl }) => partsUrl))
  }
}
