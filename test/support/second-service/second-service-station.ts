import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seeded } from '../seeded.ts'
import { AgentProcess, PART, type RecordingReport, type StatusReport, sha256OfFile } from '../station.ts'
import { statusOf } from '../status-of.ts'
import { SecondService } from './second-service.ts'

const POLL_INTERVAL_MS = 100
const LIMIT_MS = 240_000

type Change = {
  readonly folder?: object
  /**
   * The settings of folders inside the recordings folder, by folder name. The station watches these folders instead of
   * the recordings folder.
   */
  readonly folders?: Readonly<Record<string, object>>
  readonly transfer?: object
}

/** A recording station that uses the second service. */
export class SecondServiceStation {
  readonly service: SecondService
  readonly recordings: string
  readonly #root: string
  readonly #agents: AgentProcess[] = []
  #recordingCount = 0

  constructor(root: string, service: SecondService) {
    this.#root = root
    this.service = service
    this.recordings = path.join(root, 'recordings')
    mkdirSync(this.recordings, { recursive: true })
    this.configure()
  }

  static async open(): Promise<SecondServiceStation> {
    const root = mkdtempSync(path.join(tmpdir(), 'sluice-other-'))
    return new SecondServiceStation(root, await SecondService.start(path.join(root, 'service')))
  }

  configure({ folder, folders = { '': folder ?? {} }, transfer }: Change = {}): void {
    for (const name of Object.keys(folders)) mkdirSync(path.join(this.recordings, name), { recursive: true })
    const settings = {
      service: { base_url: this.service.baseUrl, api_key: this.service.apiKey },
      folders: Object.entries(folders).map(([name, folderSettings]) => ({
        path: path.join(this.recordings, name),
        site: 'lab',
        settle_seconds: 0.3,
        part_size_bytes: PART,
        ...folderSettings,
      })),
      follow: { poll_seconds: 0.2 },
      transfer: { ...transfer },
    }
    writeFileSync(path.join(this.#root, 'settings.json'), JSON.stringify(settings), { mode: 0o600 })
  }

  /** Writes a recording with unique content. */
  record(name: string, bytes = 20_000): string {
    const file = path.join(this.recordings, name)
    this.#recordingCount += 1
    const random = seeded(this.#recordingCount)
    const content = Buffer.alloc(bytes)
    for (let offset = 0; offset + 4 <= bytes; offset += 4096)
      content.writeUInt32LE(Math.floor(random() * 2 ** 32), offset)
    writeFileSync(file, content)
    return file
  }

  run(...flags: string[]): AgentProcess {
    return this.runWith({}, ...flags)
  }

  runWith(env: Readonly<Record<string, string>>, ...flags: string[]): AgentProcess {
    const agent = new AgentProcess(
      ['run', '--settings', path.join(this.#root, 'settings.json'), '--data', this.#data, '--json', ...flags],
      { env },
    )
    this.#agents.push(agent)
    return agent
  }

  async status(): Promise<StatusReport> {
    const status = this.#statusIfAny()
    if (status === null) throw new Error('there is no journal to read')
    return status
  }

  async recording(name: string): Promise<RecordingReport> {
    const { recordings } = await this.status()
    const recording = recordings.find((recording) => path.basename(recording.path) === name)
    if (recording === undefined) throw new Error(`the journal has no ${name}`)
    return recording
  }

  /** Polls the status in the journal. Only a broken run reaches the timeout. */
  async waitFor(
    isMet: (status: StatusReport) => boolean,
    describe: (status: StatusReport) => string,
  ): Promise<void> {
    const end = performance.now() + LIMIT_MS
    for (;;) {
      const status = this.#statusIfAny()
      if (status !== null && isMet(status)) return
      if (performance.now() > end)
        throw new Error(`after ${LIMIT_MS / 1000} s: ${status === null ? 'no journal' : describe(status)}`)
      await sleep(POLL_INTERVAL_MS)
    }
  }

  /** Waits until the service has processed these recordings, or all recordings by default. */
  async waitUntilProcessed(names?: readonly string[]): Promise<void> {
    const selectRecordings = ({ recordings }: StatusReport): RecordingReport[] =>
      recordings.filter(({ path: file }) => names?.includes(path.basename(file)) ?? true)
    const summaryOf = ({ path: file, state, problem }: RecordingReport): string =>
      `${path.basename(file)} is ${state}, ${problem?.code ?? 'no problem'}`
    await this.waitFor(
      (status) =>
        selectRecordings(status).length >= (names?.length ?? 1) &&
        selectRecordings(status).every(({ state }) => state === 'processed'),
      (status) => selectRecordings(status).map(summaryOf).join('; '),
    )
  }

  /**
   * Checks that each content has exactly one complete, processed session, and that no further session is left. Also
   * checks that no DELETE named a session after its completion had begun.
   */
  async expectSafe(contents: readonly string[]): Promise<void> {
    const sessions = await this.service.sessions()
    const problems: string[] = []
    const deletions = await this.service.requests(({ method, completed }) => method === 'DELETE' && completed)
    if (deletions.length > 0) problems.push(`${deletions.length} DELETE of a completed session`)
    for (const sha256 of contents) {
      const contentSessions = sessions.filter((session) => session.sha256 === sha256 && session.completed)
      if (contentSessions.length !== 1)
        problems.push(`${contentSessions.length} complete sessions for one content`)
      if (contentSessions.some(({ status, deleted }) => deleted || status !== 'processed'))
        problems.push('not processed')
    }
    const liveSessions = sessions.filter(({ deleted }) => !deleted)
    if (liveSessions.length !== contents.length)
      problems.push(`${liveSessions.length} sessions for ${contents.length} contents`)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  }

  async expectFilesSafe(files: readonly string[]): Promise<void> {
    await this.waitUntilProcessed(files.map((file) => path.basename(file)))
    await this.expectSafe(await Promise.all(files.map(sha256OfFile)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.kill('SIGKILL')))
    await this.service.stop()
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** Null until the agent has created its journal. */
  #statusIfAny(): StatusReport | null {
    try {
      return statusOf(this.#data)
    } catch {
      return null
    }
  }

  get #data(): string {
    return path.join(this.#root, 'data')
  }
}

/** The peak of the process's resident memory, as the kernel reports it. 0 outside Linux. */
export const peakRssBytes = (agent: AgentProcess): number => {
  if (process.platform !== 'linux') return 0
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${agent.child.pid}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) * 1024
}
