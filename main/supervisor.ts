import { EventEmitter } from 'node:events'
import { type UtilityProcess, utilityProcess } from 'electron'
import { DAMAGED_JOURNAL_EXIT, type FromAgent, type ToAgent } from '../shared/agent-protocol.ts'
import type { AgentCallName, AgentHealth, CallAnswer } from '../shared/ipc.ts'
import type { Status } from '../shared/status.ts'

/** A crash loop must not eat the PC; one crash must heal at once. */
const RESTART_DELAYS_MS = [250, 1_000, 4_000, 15_000, 60_000] as const
/** An agent that ran this long was healthy: the next crash starts again at the shortest delay. */
const HEALTHY_AFTER_MS = 60_000
const CALL_TIMEOUT_MS = 30_000
const DRAIN_MS = 5_000

type Pending = { readonly settle: (answer: CallAnswer<unknown>) => void; readonly timer: NodeJS.Timeout }

type SupervisorEvents = {
  status: [Status]
  health: [AgentHealth]
  log: [string]
}

const unavailable = (message: string): CallAnswer<never> => ({
  ok: false,
  error: { kind: 'agent-unavailable', message },
})

/**
 * Starts the agent process, restarts it when it dies, and relays typed messages. It holds no state that
 * matters: what the agent needs to know again after a crash (`configure`) is asked for at each start.
 */
export class Supervisor extends EventEmitter<SupervisorEvents> {
  readonly #entry: string
  readonly #dataFolder: string
  readonly #configuration: () => Promise<Extract<ToAgent, { kind: 'configure' }>>
  readonly #pending = new Map<number, Pending>()
  #child: UtilityProcess | null = null
  #nextCallId = 1
  #failures = 0
  #restarts = 0
  #health: AgentHealth = { state: 'starting', restarts: 0 }
  #restartTimer: NodeJS.Timeout | null = null
  #stopping = false
  #trouble: string | null = null

  constructor(options: {
    readonly entry: string
    readonly dataFolder: string
    readonly configuration: () => Promise<Extract<ToAgent, { kind: 'configure' }>>
  }) {
    super()
    this.#entry = options.entry
    this.#dataFolder = options.dataFolder
    this.#configuration = options.configuration
  }

  get health(): AgentHealth {
    return this.#health
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(): void {
    this.#restartTimer = null
    const startedAt = performance.now()
    const child = utilityProcess.fork(this.#entry, ['--data', this.#dataFolder], {
      serviceName: 'Sluice agent',
      stdio: 'pipe',
    })
    this.#child = child
    // Nothing is expected on these streams (the agent writes its own log), so what arrives is worth keeping.
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.emit('log', chunk.toString('utf8').trimEnd()))
    child.on('message', (message: FromAgent) => this.#receive(message))
    child.on('exit', (code) => this.#exited(code, performance.now() - startedAt))
  }

  call(name: AgentCallName, args: unknown): Promise<CallAnswer<unknown>> {
    if (this.#child === null || this.#health.state !== 'running')
      return Promise.resolve(unavailable('The agent is starting. Try again in a moment.'))
    const id = this.#nextCallId++
    return new Promise((settle) => {
      const timer = setTimeout(
        () => this.#settle(id, unavailable('The agent did not answer in time.')),
        CALL_TIMEOUT_MS,
      )
      this.#pending.set(id, { settle, timer })
      this.#send({ kind: 'call', id, name, args })
    })
  }

  async configure(): Promise<void> {
    this.#send(await this.#configuration())
  }

  reconnect(reason: string): void {
    this.#send({ kind: 'reconnect', reason })
  }

  /** Asks the agent to end cleanly; past the limit it is killed, which the journal is made for. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer)
    const child = this.#child
    if (child === null) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill(), DRAIN_MS)
      child.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      this.#send({ kind: 'shutdown' })
    })
  }

  #send(message: ToAgent): void {
    this.#child?.postMessage(message)
  }

  #receive(message: FromAgent): void {
    switch (message.kind) {
      case 'ready':
        this.#trouble = null
        this.#setHealth('running')
        void this.configure()
        return
      case 'answer':
        this.#settle(message.id, message.answer)
        return
      case 'status':
        this.emit('status', message.status)
        return
      case 'cannot-run':
        this.emit('log', `agent cannot run: ${message.message}`)
        this.#trouble = message.message
        this.#setHealth('restarting')
        return
    }
  }

  #exited(code: number, ranForMs: number): void {
    this.#child = null
    for (const id of this.#pending.keys())
      this.#settle(id, unavailable('The agent stopped; it is being started again.'))
    if (this.#stopping) return
    if (ranForMs >= HEALTHY_AFTER_MS) this.#failures = 0
    const delayMs = RESTART_DELAYS_MS[Math.min(this.#failures, RESTART_DELAYS_MS.length - 1)]
    this.#failures += 1
    this.#restarts += 1
    if (code === DAMAGED_JOURNAL_EXIT) this.#trouble = 'The journal is damaged; it is being rebuilt.'
    this.emit('log', `agent exited with code ${code}; starting again in ${delayMs} ms`)
    this.#setHealth('restarting')
    this.#restartTimer = setTimeout(() => this.start(), delayMs)
  }

  #settle(id: number, answer: CallAnswer<unknown>): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    this.#pending.delete(id)
    clearTimeout(pending.timer)
    pending.settle(answer)
  }

  #setHealth(state: AgentHealth['state']): void {
    this.#health = {
      state,
      restarts: this.#restarts,
      ...(this.#trouble === null ? {} : { trouble: this.#trouble }),
    }
    this.emit('health', this.#health)
  }
}
