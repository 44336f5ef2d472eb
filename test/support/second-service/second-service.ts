import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { endChild, endWithRunner } from '../child-end.ts'
import type { SessionReport } from './admin.ts'
import type { ServiceBehaviour } from './behaviour.ts'
import type { FaultRule } from './fault-rules.ts'
import type { LoggedRequest } from './request-log.ts'

type ServiceAddress = {
  readonly baseUrl: string
  readonly adminUrl: string
  readonly apiKey: string
}

/** The second implementation of the contract, as a separate process. Tests control it through this class. */
export class SecondService {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly apiKey: string
  readonly #adminUrl: string

  constructor(child: ChildProcess, address: ServiceAddress) {
    this.child = child
    this.baseUrl = address.baseUrl
    this.apiKey = address.apiKey
    this.#adminUrl = address.adminUrl
  }

  static async start(folder: string): Promise<SecondService> {
    mkdirSync(folder, { recursive: true })
    const program = path.join(import.meta.dirname, 'service-process.ts')
    const child = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
    endWithRunner(child)
    const failedStart = once(child, 'exit').then(([code]) => {
      throw new Error(`the second service did not start: exit code ${code}`)
    })
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdout! }), 'line'),
      failedStart,
    ])) as [string]
    failedStart.catch(() => {})
    return new SecondService(child, JSON.parse(line))
  }

  /** Replaces all rules. The first matching rule applies. */
  async setFaults(...rules: FaultRule[]): Promise<void> {
    await this.#admin('PUT', '/faults', rules)
  }

  async setBehaviour(change: Partial<Omit<ServiceBehaviour, 'apiKey'>>): Promise<void> {
    await this.#admin('PUT', '/behaviour', change)
  }

  async setStorageOpen(open: boolean): Promise<void> {
    await this.#admin('PUT', '/storage', { open })
  }

  async requests(match: (request: LoggedRequest) => boolean = () => true): Promise<LoggedRequest[]> {
    return ((await this.#admin('GET', '/log')) as LoggedRequest[]).filter(match)
  }

  async sessions(): Promise<SessionReport[]> {
    return (await this.#admin('GET', '/sessions')) as SessionReport[]
  }

  async stop(): Promise<void> {
    await endChild(this.child, 'SIGKILL')
  }

  async #admin(method: string, route: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.#adminUrl + route, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return answer.json()
  }
}
