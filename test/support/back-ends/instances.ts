import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { launchServer, runServerCommand, type ServerProcess } from '../server-process.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { type Postgres, startPostgres } from './postgres.ts'

/** Server processes that share one database and one storage, behind load balancers. */
export class Instances {
  readonly postgres: Postgres
  readonly #folder: string
  readonly #control: Balancer
  readonly #parts: Balancer
  readonly #bytes: string
  readonly #env: Readonly<Record<string, string>>
  #running: ServerProcess[] = []
  #endedOutput = ''

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

  /** `bytes` is the value of `--bytes`. By default, all instances store the parts in one folder. */
  static async open(bytes?: string, env: Readonly<Record<string, string>> = {}): Promise<Instances> {
    const postgres = await startPostgres()
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-instances-'))
    const balancers = [await startBalancer(), await startBalancer()] as const
    return new Instances(postgres, folder, balancers, bytes ?? pathToFileURL(folder).href, env)
  }

  get storeFlags(): readonly string[] {
    return ['--database', this.postgres.url, '--bytes', this.#bytes]
  }

  get baseUrl(): string {
    return this.#control.url
  }

  get running(): readonly ServerProcess[] {
    return this.#running
  }

  get log(): string {
    return this.#endedOutput + this.#running.map((instance) => instance.stderr()).join('')
  }

  async start(...flags: string[]): Promise<ServerProcess> {
    const commonFlags = [
      '--upload-url',
      this.#parts.url,
      '--min-part-size',
      '1000',
      '--rate-limit',
      '1000000',
      '--private-webhooks',
      'true',
    ]
    const instance = await launchServer([...this.storeFlags, ...commonFlags, ...flags], this.#env)
    this.#setRunning([...this.#running, instance])
    return instance
  }

  async kill(instance: ServerProcess): Promise<void> {
    this.#setRunning(this.#running.filter((other) => other !== instance))
    await instance.kill()
    this.#endedOutput += instance.stderr()
  }

  /** Stops an instance as a rolling restart does: the balancer sends it no new connection. */
  async stop(instance: ServerProcess): Promise<number | null> {
    this.#setRunning(this.#running.filter((other) => other !== instance))
    const code = await instance.stop()
    this.#endedOutput += instance.stderr()
    return code
  }

  /** Creates an organisation, and returns a key with which a station can write. */
  async newKey(name = 'Lab'): Promise<string> {
    const orgOutput = await runServerCommand(['org', 'create', name, ...this.storeFlags], this.#env)
    const { id } = JSON.parse(orgOutput.out)
    const keyOutput = await runServerCommand(
      ['key', 'create', '--org', id, '--write', ...this.storeFlags],
      this.#env,
    )
    return JSON.parse(keyOutput.out).key
  }

  async close(): Promise<void> {
    for (const instance of this.#running) await instance.kill()
    await this.#control.close()
    await this.#parts.close()
    await this.postgres.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #setRunning(running: ServerProcess[]): void {
    this.#running = running
    this.#control.setTargets(running.map(({ baseUrl }) => baseUrl))
    this.#parts.setTargets(running.map(({ partsUrl }) => partsUrl))
  }
}
