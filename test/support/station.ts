import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SettingsInput } from '../../shared/settings/settings.ts'
import type { Problem } from '../../shared/status/problem.ts'
import type { RecordingState } from '../../shared/status/status.ts'
import { collectOutput } from './child-end.ts'
import { asOrdinaryUser } from './needs.ts'
import { agentProgram } from './programs.ts'
import { SandboxProcess } from './sandbox-process.ts'
import { statusOf } from './status-of.ts'
import type { CommandOutput } from './typed-command.ts'

export const MIB = 1024 * 1024
/** The smallest part size that §8 allows, whether its megabytes are decimal or binary. */
export const PART = 8 * MIB

export type ChangeLine = {
  readonly at: string
  readonly path: string
  readonly state: RecordingState
  readonly session_id: string | null
  readonly bytes: number
  readonly bytes_sent: number
  readonly problem: Problem | null
}

export type RecordingReport = Omit<ChangeLine, 'at'> & {
  readonly sha256: string | null
  readonly parts_total: number | null
  readonly parts_sent: number
}

export type StatusReport = {
  readonly station: { readonly paused: boolean; readonly problem: Problem | null }
  readonly recordings: readonly RecordingReport[]
}

export const sha256OfFile = async (file: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: MIB }), hash)
  return hash.digest('hex')
}

/** Most checks open the journal or call the service, so long waits check less often. */
const checkIntervalMs = (waitedMs: number): number => Math.min(100, Math.max(20, waitedMs / 20))

/** Waits until `check` returns a value. Only a broken run reaches the timeout. */
export const until = async <T>(
  what: string,
  check: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = 240_000,
): Promise<T> => {
  const startMs = performance.now()
  for (;;) {
    const result = await check()
    if (result !== null && result !== undefined && result !== false) return result
    const waitedMs = performance.now() - startMs
    if (waitedMs > limitMs) throw new Error(`did not happen within ${limitMs / 1000} s: ${what}`)
    await sleep(checkIntervalMs(waitedMs))
  }
}

export type AgentOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** For tests of unreadable files, because root can read every file. */
  readonly asOrdinaryUser?: boolean
  readonly keepOutput?: boolean
  /** A command prefix, such as `unshare`. */
  readonly through?: readonly string[]
}

export type ServiceStats = {
  readonly routes: Readonly<Record<string, number>>
  /** The number of whole bodies that arrived, per session and part. */
  readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export class AgentProcess {
  readonly child: ChildProcess
  readonly lines: ChangeLine[] = []
  readonly ended: Promise<number | NodeJS.Signals>
  stderr = ''

  stdout = ''

  constructor(args: readonly string[], options: AgentOptions = {}) {
    const command = [process.execPath, agentProgram, ...args]
    const userPrefix = options.asOrdinaryUser === true ? asOrdinaryUser() : []
    const [program = '', ...rest] = [...(options.through ?? []), ...userPrefix, ...command]
    this.child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    })
    this.child.stdout?.on('data', (chunk: Buffer) => {
      if (options.keepOutput) this.stdout += chunk.toString()
    })
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      if (line.startsWith('{')) this.lines.push(JSON.parse(line))
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString()
    })
    this.ended = once(this.child, 'close').then(
      ([code, signal]) => (code as number | null) ?? (signal as NodeJS.Signals),
    )
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.child.kill(signal)
    await this.ended
  }

  /** Waits until the agent prints a change that matches. */
  waitForChange(what: string, match: (line: ChangeLine) => boolean, limitMs?: number): Promise<ChangeLine> {
    return until(
      what,
      () => {
        const line = this.lines.find(match)
        if (line === undefined && this.child.exitCode !== null)
          throw new Error(`the agent ended with ${this.child.exitCode} before: ${what}\n${this.stderr}`)
        return line
      },
      limitMs,
    )
  }
}

/**
 * Finds the bugs that the agent logged. The agent retries a stage that throws, so a test could pass in spite of the
 * bug.
 */
const findLoggedBugs = (data: string): string[] => {
  const log = path.join(data, 'logs', 'sluice.log')
  if (!existsSync(log)) return []
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(': unexpected error'))
}

/** A recording station in a temporary folder, with its own sandbox service. */
export class Station {
  readonly root: string
  readonly recordings: string
  readonly data: string
  readonly settingsFile: string
  readonly sandbox: SandboxProcess
  readonly #key: string
  readonly #agents: AgentProcess[] = []
  readonly #mounts: string[] = []
  readonly #closeSteps: (() => Promise<void>)[] = []

  constructor(root: string, sandbox: SandboxProcess, key: string = sandbox.keys.write) {
    this.#key = key
    this.root = root
    this.recordings = path.join(root, 'recordings')
    this.data = path.join(root, 'data')
    this.settingsFile = path.join(root, 'settings.json')
    this.sandbox = sandbox
    mkdirSync(this.recordings, { recursive: true })
    this.configure()
  }

  static async open(sandboxFlags: readonly string[] = []): Promise<Station> {
    const root = mkdtempSync(path.join(tmpdir(), 'sluice-station-'))
    return new Station(root, await SandboxProcess.start(path.join(root, 'service'), sandboxFlags))
  }

  /** Uses a live key (§5.3), because Sluice removes no files with a test key. */
  static async openLive(): Promise<Station> {
    const root = mkdtempSync(path.join(tmpdir(), 'sluice-station-'))
    const sandbox = await SandboxProcess.start(path.join(root, 'service'))
    return new Station(root, sandbox, sandbox.keys.live)
  }

  configure(
    change: { readonly service?: object; readonly folder?: object; readonly rest?: object } = {},
  ): void {
    const settings = {
      service: { base_url: this.sandbox.baseUrl, api_key: this.#key, ...change.service },
      folders: [
        { path: this.recordings, site: 'lab', settle_seconds: 0.3, part_size_bytes: PART, ...change.folder },
      ],
      follow: { poll_seconds: 0.2 },
      ...change.rest,
    } satisfies SettingsInput | object
    writeFileSync(this.settingsFile, JSON.stringify(settings), { mode: 0o600 })
  }

  /** Starts the agent without waiting. */
  agent(...flags: string[]): AgentProcess {
    return this.agentWith({}, ...flags)
  }

  agentWith(options: AgentOptions, ...flags: string[]): AgentProcess {
    const agent = new AgentProcess(
      ['run', '--settings', this.settingsFile, '--data', this.data, '--json', ...flags],
      options,
    )
    this.#agents.push(agent)
    return agent
  }

  /** Mounts a real file system at this folder until the station closes. `option` makes it small or read-only. */
  mount(folder: string, option: string): void {
    mkdirSync(folder, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', option, 'tmpfs', folder])
    this.#mounts.push(folder)
  }

  /** Calls the service with the station's key. */
  api(route: string, options: RequestInit = {}): Promise<Response> {
    return this.sandbox.api(route, { ...options, headers: { authorization: `Bearer ${this.#key}` } })
  }

  fault(...faults: object[]): Promise<unknown> {
    return this.sandbox.control('POST', '/faults', faults)
  }

  async stats(): Promise<ServiceStats> {
    return (await this.sandbox.control('GET', '/stats')) as ServiceStats
  }

  /** The number of whole parts that arrived at the service, over all sessions. */
  async partsReceived(): Promise<number> {
    const { parts } = await this.stats()
    return Object.values(parts)
      .flatMap((counts) => Object.values(counts))
      .reduce((sum, count) => sum + count, 0)
  }

  /** Runs the agent in this process until nothing is left to do. Returns the exit code. */
  async runToIdle(): Promise<number> {
    return (await this.sluice('run', '--settings', this.settingsFile, '--json', '--until-idle')).code
  }

  /** Runs a command in this process, because starting a new process takes about a second. */
  async sluice(...args: string[]): Promise<CommandOutput> {
    // Imported here, because few tests need the whole program.
    const { sluice } = await import('./typed-command.ts')
    return sluice(...args, '--data', this.data)
  }

  /** Runs a command in its own process, as a user does. */
  command(...args: string[]): ReturnType<typeof collectOutput> {
    const child = spawn(process.execPath, [agentProgram, ...args, '--data', this.data], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return collectOutput(child)
  }

  /** The output of `status --json` without its field `agent`. Starts no new process. */
  async status(): Promise<StatusReport> {
    return statusOf(this.data)
  }

  /** The sessions of this station: every session at the site `lab`. */
  async sessions(): Promise<{ readonly id: string; readonly status: string; readonly filename: string }[]> {
    const sessions: { id: string; status: string; filename: string }[] = []
    let cursor: string | undefined
    do {
      const query = new URLSearchParams({
        site: 'lab',
        limit: '500',
        ...(cursor === undefined ? {} : { cursor }),
      })
      const page = (await (await this.api(`/v1/sessions?${query}`)).json()) as {
        data: typeof sessions
        next_cursor?: string
        has_more: boolean
      }
      sessions.push(...page.data)
      cursor = page.has_more ? page.next_cursor : undefined
    } while (cursor !== undefined)
    return sessions
  }

  async stored(sessionId: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
    return (await this.sandbox.control('GET', `/objects/${sessionId}`)) as { bytes: number; sha256: string }
  }

  /** Checks that every recording is processed in exactly one session, with the same bytes as the local file. */
  async expectAllSafe(): Promise<void> {
    const { recordings } = await this.status()
    const sessions = await this.sessions()
    const problems: string[] = []
    for (const recording of recordings) {
      if (recording.state !== 'processed') problems.push(`${recording.path} is ${recording.state}`)
      else if (recording.session_id === null) problems.push(`${recording.path} has no session`)
      else {
        const stored = await this.stored(recording.session_id)
        if (stored.sha256 !== (await sha256OfFile(recording.path))) problems.push(`${recording.path} differs`)
      }
    }
    const usedSessionIds = new Set(recordings.map((recording) => recording.session_id))
    const extraSessions = sessions.filter((session) => !usedSessionIds.has(session.id))
    if (extraSessions.length > 0) problems.push(`${extraSessions.length} sessions too many at the service`)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  }

  /** Registers work for `close` to do before it removes anything. */
  onClose(step: () => Promise<void>): void {
    this.#closeSteps.push(step)
  }

  async close(): Promise<void> {
    const results = await Promise.allSettled(this.#closeSteps.map((step) => step()))
    await Promise.all(this.#agents.map((agent) => agent.kill('SIGKILL')))
    await this.sandbox.stop()
    const bugs = findLoggedBugs(this.data)
    for (const folder of this.#mounts) execFileSync('umount', ['-l', folder])
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
    for (const result of results) if (result.status === 'rejected') throw result.reason
    if (bugs.length > 0) throw new Error(`the agent logged a bug:\n${bugs.join('\n')}`)
  }
}
