import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import { HostedAgent } from '../hosted-agent.ts'
import { readJournal } from '../journal-file.ts'
import { writeRandomFile } from '../kill-repeatedly.ts'
import { type AgentProcess, Station, until } from '../station.ts'
import { FaultProxy, type ProxyAddress } from './fault-proxy.ts'

/**
 * Which parts the agent may send again after it got their ETag. `unjournaled`: only those whose ETag is not in the
 * journal.
 */
export type Resends = 'none' | 'unjournaled' | 'any'

/** Exceptions to the promises of `promises.ts` that one fault may need. */
export type AllowedDifferences = {
  resends: Resends
  /** SHA-256 digests of contents that the service may keep although no file has them any more. */
  formerContents: readonly string[]
  /** Files whose complete sessions were deleted. Sluice sends them again only if the user asks for it. */
  deletedFiles: readonly string[]
  /**
   * A recording may have an open session beside the complete one. With a new journal, Sluice never deletes a session
   * that it found by search.
   */
  openSessions: boolean
}

/** Reached only in a broken run. */
const timeoutMs = 150_000

/** A station whose service is behind a faulty network. */
export class FaultStation {
  readonly station: Station
  readonly proxy: FaultProxy
  readonly allowed: AllowedDifferences = {
    resends: 'none',
    formerContents: [],
    deletedFiles: [],
    openSessions: false,
  }
  readonly resentParts: string[] = []
  readonly agents: AgentProcess[] = []
  /** The folders with recordings. All recordings in them must be processed in the end. */
  readonly folders: string[]
  readonly #random: () => number
  readonly #hosted: HostedAgent[] = []

  private constructor(station: Station, proxy: FaultProxy, random: () => number) {
    this.station = station
    this.proxy = proxy
    this.folders = [station.recordings]
    this.#random = random
    this.configure()
    proxy.onResent = ({ session, part }) => {
      const key = `${session} part ${part}`
      if (this.allowed.resends === 'none') this.resentParts.push(key)
      else if (this.allowed.resends === 'unjournaled' && this.#isJournaled(session, part))
        this.resentParts.push(key)
    }
  }

  static async open(
    random: () => number,
    sandboxFlags: readonly string[] = [],
    where: ProxyAddress = {},
  ): Promise<FaultStation> {
    const station = await Station.open(['--rate-limit', '1000000', ...sandboxFlags])
    try {
      return new FaultStation(station, await FaultProxy.startFor(station.sandbox, where), random)
    } catch (error) {
      await station.close()
      throw error
    }
  }

  configure(change: Parameters<Station['configure']>[0] = {}): void {
    this.station.configure({ ...change, service: { base_url: this.proxy.baseUrl, ...change?.service } })
  }

  file(name: string): string {
    return path.join(this.station.recordings, name)
  }

  async record(name: string, bytes = 20_000): Promise<string> {
    await writeRandomFile(this.file(name), bytes, this.#random)
    return this.file(name)
  }

  /** Starts the agent, which runs until it is killed or the station closes. */
  run(options: Parameters<Station['agentWith']>[0] = {}): AgentProcess {
    const agent = this.station.agentWith({ keepOutput: true, ...options })
    this.agents.push(agent)
    return agent
  }

  /** Starts the agent as the app runs it, so that the test can read its folder states and change its settings. */
  async host(): Promise<HostedAgent> {
    const hosted = await HostedAgent.start(this.station)
    this.#hosted.push(hosted)
    return hosted
  }

  get data(): string {
    return this.station.data
  }

  /** The full path of every file whose name is valid UTF-8. */
  files(): string[] {
    return this.folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => path.join(folder, name))
        .filter((file) => !file.includes('\ufffd') && existsSync(file) && statSync(file).isFile()),
    )
  }

  /** Rows of the journal, or none while no readable journal exists. */
  rows<T>(sql: string, ...values: unknown[]): T[] {
    try {
      return readJournal<T>(this.data, sql, ...values)
    } catch (error) {
      // An invalid query is a bug of the test.
      if ((error as { code?: string }).code === 'SQLITE_ERROR' && !/no such table/.test(String(error)))
        throw error
      return []
    }
  }

  waitForJournal(what: string, sql: string, ...values: unknown[]): Promise<unknown> {
    return until(what, () => this.rows(sql, ...values)[0], timeoutMs)
  }

  /** Waits until this many parts have their ETag in the journal. */
  waitForJournaledParts(count: number): Promise<unknown> {
    return this.waitForJournal(
      `${count} parts are journaled`,
      'SELECT 1 FROM (SELECT COUNT(*) AS n FROM parts WHERE etag IS NOT NULL) WHERE n >= ?',
      count,
    )
  }

  /** Waits until this many recordings are in that state. */
  waitForState(state: RecordingState, count = 1): Promise<unknown> {
    return this.waitForJournal(
      `${count} recordings are ${state}`,
      'SELECT 1 FROM (SELECT COUNT(*) AS n FROM recordings WHERE state = ?) WHERE n >= ?',
      state,
      count,
    )
  }

  /** Waits until the station reports a condition with one of these codes. */
  waitForCondition(...codes: readonly ProblemCode[]): Promise<unknown> {
    return until(
      `the station reports ${codes.join(' or ')}`,
      async () => {
        const code = (await this.station.status().catch(() => null))?.station.problem?.code
        return code !== undefined && codes.includes(code)
      },
      timeoutMs,
    )
  }

  /** All output so far: the log files and the output of the processes. */
  allOutput(): string {
    const logs = path.join(this.data, 'logs')
    const files = existsSync(logs) ? readdirSync(logs) : []
    return [
      ...files.map((name) => readFileSync(path.join(logs, name), 'utf8')),
      ...this.agents.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ].join('\n')
  }

  async close(): Promise<void> {
    await this.proxy.end()
    for (const hosted of this.#hosted) await hosted.stop()
    await this.station.close()
  }

  #isJournaled(session: string | null, part: number | null): boolean {
    const sql = `SELECT 1 FROM parts p JOIN recordings r ON r.id = p.recording_id
      WHERE r.session_id = ? AND p.number = ? AND p.etag IS NOT NULL`
    return this.rows(sql, session, part).length > 0
  }
}
