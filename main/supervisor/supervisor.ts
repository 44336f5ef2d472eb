import { EventEmitter } from 'node:events'
import path from 'node:path'
import { type UtilityProcess, utilityProcess } from 'electron'
import { DAMAGED_JOURNAL_EXIT, type FromAgent, type ToAgent } from '../../shared/ipc/agent-protocol.ts'
import type { AgentCallName, AgentHealth, CallAnswer } from '../../shared/ipc/ipc.ts'
import type { Clocks } from '../../shared/status/clock-gap.ts'
import type { Status } from '../../shared/status/status.ts'
import { silenceWatcher } from './response-watch.ts'

/** A crash loop must not eat the PC; one crash must heal at once. */
const RESTART_DELAYS_MS = [250, 1_000, 4_000, 15_000, 60_000] as const
/** An agent that ran this long was healthy: the next crash starts again at the shortest delay. */
const HEALTHY_AFTER_MS = 60_000
const CALL_TIMEOUT_MS = 30_000
const DRAIN_MS = 5_000
/** A busy disk may hold the journal, and with it the agent, for many seconds; nothing holds a healthy one this long. */
const SILENCE: Silence = { lookEveryMs: 5_000, mostMs: 120_000 }

const systemClocks: Clocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

type Silence = { readonly lookEveryMs: number; readonly mostMs: number }
type Configure = Extract<ToAgent, { kind: 'configure' }>

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

/** For certain: a process that is stopped or whose loop is blocked may not heed a request. */
const kill = (child: UtilityProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
  } catch {
    // It has just ended by itself.
  }
}

/**
 * Starts the agent process, restarts it when it dies or no longer answers, and relays typed messages. It holds no
 * state that matters: what the agent needs to know again after a crash (`configure`) is asked for at each start.
 */
export class Supervisor extends EventEmitter<SupervisorEvents> {
  readonly #entry: string
  readonly #logIn: string
  readonly #locale: string
  readonly #dataFolder: () => string
  readonly #configuration: () => Promise<Configure>
  readonly #silence: Silence
  readonly #pending = new Map<number, Pending>()
  #child: UtilityProcess | null = null
  /** The data folder of the agent that runs now. */
  #worksOn: string | null = null
  /** It has been asked to end because the settings want another data folder. */
  #leaving = false
  #asked = 0
  #nextCallId = 1
  #failures = 0
  #restarts = 0
  #health: AgentHealth = { state: 'starting', restarts: 0 }
  #restartTimer: NodeJS.Timeout | null = null
  #stopping = false
  #trouble: string | null = null

  constructor(options: {
    readonly entry: string
    /** The agent's log stays in one place, whichever data folder it works on. */
    readonly logIn: string
    /** Its sentences have times and numbers in them. */
    readonly locale: string
    /** By the settings of this moment, as `configuration` is: an agent never gets those of another folder. */
    readonly dataFolder: () => string
    readonly configuration: () => Promise<Configure>
    readonly silence?: Silence
  }) {
    super()
    this.#entry = options.entry
    this.#logIn = options.logIn
    this.#locale = options.locale
    this.#dataFolder = options.dataFolder
    this.#configuration = options.configuration
    this.#silence = options.silence ?? SILENCE
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
    const dataFolder = this.#dataFolder()
    const child = utilityProcess.fork(this.#entry, this.#arguments(dataFolder), {
      serviceName: 'Sluice agent',
      stdio: 'pipe',
      // Two megabytes of code are compiled at each start otherwise, beside the window's first paint. In a folder that
      // only this person can write to: what is in it is run.
      env: {
        // The agent says so itself (`entry/small-heap.ts`), but Windows' runtime has read its environment by then.
        UV_THREADPOOL_SIZE: '32',
        ...process.env,
        NODE_COMPILE_CACHE: path.join(this.#logIn, 'compiled'),
      },
    })
    this.#child = child
    this.#worksOn = dataFolder
    // Nothing is expected on these streams (the agent writes its own log), so what arrives is worth keeping.
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.emit('log', chunk.toString('utf8').trimEnd()))
    child.on('message', (message: FromAgent) => {
      if (message.kind === 'ready') this.#watch(child)
      this.#receive(message)
    })
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

  /** The latest wins: looking up the proxy takes as long as it takes, and an earlier one may come last. */
  async configure(): Promise<void> {
    if (this.#child !== null && this.#worksOn !== this.#dataFolder()) {
      this.#leave(this.#child)
      return
    }
    this.#asked += 1
    const asked = this.#asked
    const configuration = await this.#configuration()
    if (asked === this.#asked) this.#send(configuration)
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
      child.once('exit', () => resolve())
      if (!this.#leaving) this.#drain(child)
    })
  }

  /** The other folder's agent is started once this one has ended; whatever the settings say by then counts. */
  #leave(child: UtilityProcess): void {
    // What is being looked up belongs to an agent that leaves: the next one asks anew.
    this.#asked += 1
    if (this.#leaving) return
    this.#leaving = true
    this.emit('log', 'the agent changes to another data folder')
    this.#setHealth('starting')
    this.#drain(child)
  }

  #arguments(dataFolder: string): string[] {
    return ['--data', dataFolder, '--log', this.#logIn, '--locale', this.#locale]
  }

  #drain(child: UtilityProcess): void {
    const timer = setTimeout(() => kill(child), DRAIN_MS)
    child.once('exit', () => clearTimeout(timer))
    this.#send({ kind: 'shutdown' })
  }

  /** From `ready` on: a start has to read the whole journal, and takes what it takes. */
  #watch(child: UtilityProcess): void {
    const { lookEveryMs, mostMs } = this.#silence
    const silence = silenceWatcher(systemClocks, lookEveryMs)
    child.on('message', () => silence.answered())
    const timer = setInterval(() => {
      const silentMs = silence.look()
      if (silentMs > mostMs) {
        this.#trouble = 'The agent stopped responding and is restarting.'
        this.emit('log', `agent has not answered for ${silentMs} ms; ending it`)
        kill(child)
      } else child.postMessage({ kind: 'ping' } satisfies ToAgent)
    }, lookEveryMs)
    child.once('exit', () => clearInterval(timer))
  }

  #send(message: ToAgent): void {
    this.#child?.postMessage(message)
  }

  #receive(message: FromAgent): void {
    // Its recordings are not those of the folder that is shown next.
    if (this.#leaving && message.kind !== 'answer') return
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
      case 'pong':
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
      this.#settle(id, unavailable('The agent stopped and is restarting.'))
    if (this.#stopping) return
    if (this.#leaving) {
      this.#leaving = false
      this.#trouble = null
      this.start()
      return
    }
    if (ranForMs >= HEALTHY_AFTER_MS) this.#failures = 0
    const delayMs = RESTART_DELAYS_MS[Math.min(this.#failures, RESTART_DELAYS_MS.length - 1)]
    this.#failures += 1
    this.#restarts += 1
    if (code === DAMAGED_JOURNAL_EXIT) this.#trouble = 'The journal is damaged and is being rebuilt.'
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
