import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FromAgent, ToAgent } from '../../shared/ipc/agent-protocol.ts'
import type { AgentCallName, CallResult } from '../../shared/ipc/ipc.ts'
import { type Settings, settingsSchema } from '../../shared/settings/settings.ts'
import type { ProblemCode } from '../../shared/status/problem.ts'
import type { RecordingRow, RecordingState, Status } from '../../shared/status/status.ts'
import { asOrdinaryUser } from './needs.ts'
import { agentProcess } from './programs.ts'
import { type Station, until } from './station.ts'
import { forkUtility } from './utility-process.ts'

/** The agent as the desktop app runs it: settings, keys and wake-ups arrive while it works. */
export class HostedAgent {
  readonly child: ChildProcess
  status: Status | null = null
  readonly #station: Station
  readonly #answers = new Map<number, (answer: Extract<FromAgent, { kind: 'answer' }>['answer']) => void>()
  #lastCallId = 0

  private constructor(child: ChildProcess, station: Station) {
    this.child = child
    this.#station = station
    child.on('message', (message: FromAgent) => {
      if (message.kind === 'status') this.status = message.status
      if (message.kind === 'answer') this.#answers.get(message.id)?.(message.answer)
    })
  }

  static async start(
    station: Station,
    options: { readonly asOrdinaryUser?: boolean } = {},
  ): Promise<HostedAgent> {
    const through = options.asOrdinaryUser === true ? asOrdinaryUser() : []
    // As the supervisor does, give the agent a folder for compiled code.
    const env = { NODE_COMPILE_CACHE: path.join(station.root, 'compiled'), ...process.env }
    const child = forkUtility(agentProcess, ['--data', station.data], { through, env })
    const agent = new HostedAgent(child, station)
    station.onClose(() => agent.stop())
    const [firstMessage] = (await once(child, 'message')) as [FromAgent]
    if (firstMessage.kind !== 'ready')
      throw new Error(`the agent did not start: ${JSON.stringify(firstMessage)}`)
    agent.configure()
    return agent
  }

  /** Sends the current settings file of the station. */
  configure(apiKey?: string, webhookSecrets: readonly string[] = []): void {
    const settings: Settings = settingsSchema.parse(
      JSON.parse(readFileSync(this.#station.settingsFile, 'utf8')),
    )
    this.#send({
      kind: 'configure',
      managedProblem: null,
      settings,
      apiKey: apiKey ?? settings.service.api_key ?? null,
      systemProxy: { kind: 'unknown' },
      webhookSecrets,
    })
  }

  reconnect(): void {
    this.#send({ kind: 'reconnect', reason: 'woke up' })
  }

  async call<N extends AgentCallName>(name: N, args: unknown): Promise<CallResult<N>> {
    const id = ++this.#lastCallId
    const { promise, resolve } = Promise.withResolvers<Extract<FromAgent, { kind: 'answer' }>['answer']>()
    this.#answers.set(id, resolve)
    this.#send({ kind: 'call', id, name, args })
    const answer = await promise
    if (!answer.ok) throw new Error(answer.error.message)
    return answer.value as CallResult<N>
  }

  async recordings(): Promise<readonly RecordingRow[]> {
    const query = { text: '', states: [], sort: 'found', descending: false, offset: 0, limit: 200 }
    return (await this.call('listRecordings', query)).rows
  }

  /** Waits until the file with that name is in that state. */
  waitForState(name: string, state: RecordingState): Promise<RecordingRow> {
    return until(`${name} is ${state}`, async () =>
      (await this.recordings()).find((row) => row.name === name && row.state === state),
    )
  }

  /** Waits until the recording has that problem. */
  waitForProblem(name: string, code: ProblemCode): Promise<RecordingRow> {
    return until(`${name} has problem ${code}`, async () =>
      (await this.recordings()).find((row) => row.name === name && row.problem?.code === code),
    )
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = once(this.child, 'exit')
    this.#send({ kind: 'shutdown' })
    await exited
  }

  #send(message: ToAgent): void {
    this.child.send(message)
  }
}
