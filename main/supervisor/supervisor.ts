import { EventEmitter } from 'node:events'
import path from 'node:path'
import { type UtilityProcess, utilityProcess } from 'electron'
import { systemClock } from '../../shared/clock/clock.ts'
import type { AgentHealth } from '../../shared/ipc/agent-health.ts'
import { DAMAGED_JOURNAL_EXIT, type FromAgent, type ToAgent } from '../../shared/ipc/agent-protocol.ts'
import type { AgentCallName, CallAnswer } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { PendingCalls, unavailable } from '../endpoint/pending-calls.ts'
import { watchResponses } from './response-watch.ts'

const RESTART_DELAYS_MS = [250, 1_000, 4_000, 15_000, 60_000] as const
/** After an agent has run this long, the next crash uses the shortest delay again. */
const STABLE_AFTER_MS = 60_000
const DRAIN_TIMEOUT_MS = 5_000
/** A busy disk may block the agent for many seconds, but never for two minutes. */
const PING_POLICY: PingPolicy = { intervalMs: 5_000, timeoutMs: 120_000 }

type PingPolicy = { readonly intervalMs: number; readonly timeoutMs: number }
type ConfigureMessage = Extract<ToAgent, { kind: 'configure' }>

type SupervisorEvents = {
  status: [Status]
  health: [AgentHealth]
  log: [string]
}

/** Uses SIGKILL, because a suspended or blocked process does not handle a shutdown request. */
const kill = (child: UtilityProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
  } catch {
    // The process has just ended by itself.
  }
}

/**
 * Starts the agent process, restarts it when it dies or stops answering, and relays messages. Each start uses a new
 * configuration.
 */
export class Supervisor extends EventEmitter<SupervisorEvents> {
  readonly #entry: string
  readonly #appDataFolder: string
  readonly #locale: string
  readonly #dataFolder: () => string
  readonly #configuration: () => Promise<ConfigureMessage>
  readonly #pingPolicy: PingPolicy
  readonly #pendingCalls = new PendingCalls()
  #child: UtilityProcess | null = null
  /** The data folder of the running agent. */
  #currentFolder: string | null = null
  /** Whether the agent is shutting down because the settings need another data folder. */
  #isSwitching = false
  #latestRequestNumber = 0
  #failures = 0
  #restarts = 0
  #health: AgentHealth = { state: 'starting', restarts: 0 }
  #restartTimer: NodeJS.Timeout | null = null
  #isStopping = false
  #trouble: string | null = null

  constructor(options: {
    readonly entry: string
    /** Logs and the compile cache stay here, even during a try-out. */
    readonly appDataFolder: string
    /** For times and numbers in the agent's sentences. */
    readonly locale: string
    /**
     * Must read the current settings, as `configuration` does. Otherwise an agent could get the settings of another
     * data folder.
     */
    readonly dataFolder: () => string
    readonly configuration: () => Promise<ConfigureMessage>
    readonly pingPolicy?: PingPolicy
  }) {
    super()
    this.#entry = options.entry
    this.#appDataFolder = options.appDataFolder
    this.#locale = options.locale
    this.#dataFolder = options.dataFolder
    this.#configuration = options.configuration
    this.#pingPolicy = options.pingPolicy ?? PING_POLICY
  }

  get health(): AgentHealth {
    return this.#health
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(): void {
    this.#isStopping = false
    this.#restartTimer = null
    const startedAtMs = systemClock.monotonicMs()
    const dataFolder = this.#dataFolder()
    const child = utilityProcess.fork(this.#entry, this.#arguments(dataFolder), {
      serviceName: 'Sluice agent',
      stdio: 'pipe',
      env: {
        // The agent also sets this variable (`memory-and-threads.ts`). On Windows, the agent sets it too late: the
        // thread pool sees only the variables that existed when the process started.
        UV_THREADPOOL_SIZE: '32',
        ...process.env,
        // Avoids compiling two megabytes of code during the window's first paint. Other users must not be able to write
        // to the folder, because its content is executed.
        NODE_COMPILE_CACHE: path.join(this.#appDataFolder, 'compiled'),
      },
    })
    this.#child = child
    this.#currentFolder = dataFolder
    // The agent writes its own log, so any output on these streams is unexpected and worth logging.
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.emit('log', chunk.toString('utf8').trimEnd()))
    child.on('message', (message: FromAgent) => {
      if (message.kind === 'ready') this.#watch(child)
      this.#receive(message)
    })
    child.on('exit', (code) => this.#handleExit(code, systemClock.monotonicMs() - startedAtMs))
  }

  call(name: AgentCallName, args: unknown): Promise<CallAnswer<unknown>> {
    if (this.#child === null || this.#health.state !== 'running')
      return Promise.resolve(unavailable('The agent is starting. Try again in a moment.'))
    return this.#pendingCalls.add((id) => this.#send({ kind: 'call', id, name, args }))
  }

  /**
   * Sends the agent its configuration, or replaces the agent if the settings need another data folder. The proxy lookup
   * takes time, so two calls may finish in the wrong order. Only the latest call sends its configuration.
   */
  async configure(): Promise<void> {
    if (this.#child !== null && this.#currentFolder !== this.#dataFolder()) {
      this.#switchFolder(this.#child)
      return
    }
    this.#latestRequestNumber += 1
    const requestNumber = this.#latestRequestNumber
    const configuration = await this.#configuration()
    if (requestNumber === this.#latestRequestNumber) this.#send(configuration)
  }

  reconnect(reason: string): void {
    this.#send({ kind: 'reconnect', reason })
  }

  /** Asks the agent to shut down and kills it after a timeout. The journal makes a kill safe. */
  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer)
    const child = this.#child
    if (child === null) return
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      if (!this.#isSwitching) this.#drain(child)
    })
  }

  /** Shuts the agent down. After its exit, a new agent starts with the data folder of the current settings. */
  #switchFolder(child: UtilityProcess): void {
    // Discard a configuration that is still being computed, because it belongs to the old agent.
    this.#latestRequestNumber += 1
    if (this.#isSwitching) return
    this.#isSwitching = true
    this.emit('log', 'the agent switches to a different data folder')
    this.#setHealth('starting')
    this.#drain(child)
  }

  #arguments(dataFolder: string): string[] {
    return ['--data', dataFolder, '--log', this.#appDataFolder, '--locale', this.#locale]
  }

  #drain(child: UtilityProcess): void {
    const timer = setTimeout(() => kill(child), DRAIN_TIMEOUT_MS)
    child.once('exit', () => clearTimeout(timer))
    this.#send({ kind: 'shutdown' })
  }

  /** Pings the agent, but only after `ready`, because a start reads the whole journal and may take long. */
  #watch(child: UtilityProcess): void {
    const { intervalMs, timeoutMs } = this.#pingPolicy
    const responses = watchResponses(systemClock, intervalMs)
    child.on('message', () => responses.noteAnswer())
    const timer = setInterval(() => {
      const silentMs = responses.measureSilentMs()
      if (silentMs > timeoutMs) {
        this.#trouble = 'The agent stopped responding and is restarting.'
        this.emit('log', `agent has not answered for ${silentMs} ms; ending it`)
        kill(child)
      } else child.postMessage({ kind: 'ping' } satisfies ToAgent)
    }, intervalMs)
    child.once('exit', () => clearInterval(timer))
  }

  #send(message: ToAgent): void {
    this.#child?.postMessage(message)
  }

  #receive(message: FromAgent): void {
    // The window must no longer show the status of the old data folder.
    if (this.#isSwitching && message.kind !== 'answer') return
    switch (message.kind) {
      case 'ready':
        this.#trouble = null
        this.#setHealth('running')
        void this.configure()
        return
      case 'answer':
        this.#pendingCalls.settle(message.id, message.answer)
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

  #handleExit(code: number, ranForMs: number): void {
    this.#child = null
    this.#pendingCalls.settleAll('The agent stopped and is restarting.')
    if (this.#isStopping) return
    if (this.#isSwitching) {
      this.#isSwitching = false
      this.#trouble = null
      this.start()
      return
    }
    if (ranForMs >= STABLE_AFTER_MS) this.#failures = 0
    const delayMs = RESTART_DELAYS_MS[Math.min(this.#failures, RESTART_DELAYS_MS.length - 1)]
    this.#failures += 1
    this.#restarts += 1
    if (code === DAMAGED_JOURNAL_EXIT) this.#trouble = 'The journal is damaged and is being repaired.'
    this.emit('log', `agent exited with code ${code}; starting again in ${delayMs} ms`)
    this.#setHealth('restarting')
    this.#restartTimer = setTimeout(() => this.start(), delayMs)
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
