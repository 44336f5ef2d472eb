import { EventEmitter } from 'node:events'
import { systemClock } from '../../shared/clock/clock.ts'
import type { AgentHealth, AgentIdentity } from '../../shared/ipc/agent-health.ts'
import type { EndpointCallName } from '../../shared/ipc/endpoint-protocol.ts'
import type { CallAnswer, SettingsState } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { AgentRefusedError, connectToAgent, type EndpointClient } from '../endpoint/endpoint-client.ts'
import { findPlace } from '../endpoint/endpoint-place.ts'
import { unavailable } from '../endpoint/pending-calls.ts'
import { watchResponses } from './response-watch.ts'
import type { Supervisor } from './supervisor.ts'

/** Short, because a service manager restarts an agent within seconds, and the window should show that agent at once. */
const REATTACH_INTERVAL_MS = 500
const PING_INTERVAL_MS = 5_000
/** A busy disk may block an agent for many seconds, but never for two minutes. */
const SILENCE_TIMEOUT_MS = 120_000

const STOPPED = 'The agent has stopped, so nothing is uploaded. This window attaches again when it is back.'

type Events = {
  status: [Status]
  health: [AgentHealth]
  log: [string]
  /** The settings of the attached agent have changed, or this window uses another agent now. */
  settings: []
}

type Options = {
  readonly own: Supervisor
  /** The data folders whose agents this window can show. The window's own data folder comes first. */
  readonly dataFolders: () => readonly string[]
  /** The data folder that the station of this window has moved to. Null if it has not moved. */
  readonly movedTo: () => string | null
  readonly version: string
  /** Runs before the window starts an agent of its own. */
  readonly beforeOwn: () => Promise<void>
}

type Attachment = { readonly agent: AgentIdentity | null; readonly settings: SettingsState | null }

/**
 * The agent of this window: an agent that already ran, or a process that the window started. If an attached agent
 * stops, the window waits until it can attach again, unless the user starts the window's own agent.
 */
export class StationAgent extends EventEmitter<Events> {
  readonly #options: Options
  /** The agent that this window is attached to; null if the window runs its own agent. */
  #attachment: Attachment | null = null
  #client: EndpointClient | null = null
  #trouble: string | null = null
  #disconnects = 0
  #timer: NodeJS.Timeout | null = null
  #isEnded = false
  #isStartingOwn = false

  constructor(options: Options) {
    super()
    this.#options = options
    const { own } = options
    own.on('log', (text) => this.emit('log', text))
    own.on('status', (status) => this.#attachment === null && this.emit('status', status))
    own.on('health', (health) => {
      if (this.#attachment !== null) return
      this.emit('health', health)
      // The window's own agent may have failed because another agent already runs. If so, attach to the other agent.
      if (health.state === 'restarting') void this.#attachInstead()
    })
  }

  get health(): AgentHealth {
    if (this.#attachment === null) return this.#options.own.health
    const { agent } = this.#attachment
    return {
      state: this.#client === null ? 'stopped' : 'running',
      restarts: this.#disconnects,
      ...(this.#client === null ? { trouble: this.#trouble ?? STOPPED } : {}),
      ...(agent === null ? {} : { attached: agent }),
    }
  }

  /** Null if the window runs its own agent. If an attached agent stops, its attachment stays set. */
  get attachedTo(): Attachment | null {
    return this.#attachment
  }

  /** Whether an agent seems to be listening. Does not connect to the agent. */
  get mayAttach(): boolean {
    try {
      const { movedTo, dataFolders } = this.#options
      return [movedTo(), ...dataFolders()].some((folder) => folder !== null && findPlace(folder) !== null)
    } catch {
      return false
    }
  }

  /**
   * Attaches to an agent, or starts to wait for an agent that this window must not replace. Returns false if the window
   * may start its own agent.
   */
  async attach(): Promise<boolean> {
    try {
      const client = await this.#connect()
      if (client === null) return this.#waitIfMoved()
      this.#adopt(client)
    } catch (error) {
      if (!(error instanceof AgentRefusedError)) {
        this.emit('log', `this window could not attach to an agent: ${(error as Error).message}`)
        return false
      }
      // Another program, usually an agent, already listens. Keep trying to attach, because an update may soon replace
      // an agent of a different version.
      this.#attachment = { agent: null, settings: null }
      this.#handleLoss((error as Error).message)
    }
    return true
  }

  /** Starts the window's own agent. */
  async startOwn(): Promise<void> {
    if (this.#isEnded || this.#client !== null || this.#isStartingOwn) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#waitIfMoved()) return
    const wasAttached = this.#attachment !== null
    this.#attachment = null
    this.#isStartingOwn = true
    await this.#options.beforeOwn().finally(() => {
      this.#isStartingOwn = false
    })
    if (this.#isEnded) return
    if (wasAttached) this.emit('settings')
    this.emit('health', { state: 'starting', restarts: 0 })
    this.#options.own.start()
  }

  call(name: EndpointCallName, args: unknown): Promise<CallAnswer<unknown>> {
    if (this.#attachment === null) return this.#options.own.call(name as never, args)
    return this.#client?.call(name, args) ?? Promise.resolve(unavailable(STOPPED))
  }

  async configure(): Promise<void> {
    if (this.#attachment === null) await this.#options.own.configure()
  }

  reconnect(reason: string): void {
    if (this.#attachment === null) this.#options.own.reconnect(reason)
    else this.#client?.reconnect(reason)
  }

  /** Stops the window's own agent. An attached agent continues. */
  async stop(): Promise<void> {
    this.#isEnded = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#client?.close()
    await this.#options.own.stop()
  }

  async #connect(): Promise<EndpointClient | null> {
    const [own = '', ...others] = this.#options.dataFolders()
    const movedTo = this.#options.movedTo()
    const client = (await this.#connectTo(own)) ?? (movedTo === null ? null : await this.#connectTo(movedTo))
    if (client !== null) return client
    for (const folder of others) {
      // Ignore a failure, because another folder may still have an agent that accepts this user.
      const otherClient = await this.#connectTo(folder).catch(() => null)
      if (otherClient !== null) return otherClient
    }
    return null
  }

  async #connectTo(dataFolder: string): Promise<EndpointClient | null> {
    const { version } = this.#options
    const client = await connectToAgent(dataFolder, { version, clientIs: 'this window' })
    if (client === null || client.settings !== null) return client
    // An agent that sends no settings belongs to another window. That window keeps the settings.
    client.close()
    return null
  }

  async #attachInstead(): Promise<void> {
    const { own, movedTo } = this.#options
    const client = await this.#connect().catch(() => null)
    const isAttachedOrEnded = () => this.#attachment !== null || this.#isEnded
    if (isAttachedOrEnded() || own.health.state === 'running' || (client === null && movedTo() === null)) {
      client?.close()
      return
    }
    await own.stop()
    // While the window's own agent stopped, the window may have attached or ended.
    if (isAttachedOrEnded()) client?.close()
    else if (client !== null) this.#adopt(client)
    else this.#waitIfMoved()
  }

  /**
   * If the station has moved to a new data folder, waits for the agent of that folder. Returns false if the station has
   * not moved.
   */
  #waitIfMoved(): boolean {
    const trouble = this.#movedTrouble()
    if (trouble === null) return false
    this.#attachment = { agent: null, settings: null }
    this.#handleLoss(trouble)
    return true
  }

  #movedTrouble(): string | null {
    const folder = this.#options.movedTo()
    return folder === null
      ? null
      : `This station has moved to ${folder}, and this window finds no agent there that it may use. Start the background service, or ask an administrator to add this account to the group in control.group.`
  }

  #adopt(client: EndpointClient): void {
    if (this.#isEnded) {
      client.close()
      return
    }
    this.#client = client
    this.#trouble = null
    this.#attachment = { agent: client.agent, settings: client.settings }
    const endPings = this.#ping(client)
    client.on('status', (status) => this.emit('status', status))
    client.on('settings', (settings) => {
      this.#attachment = { agent: client.agent, settings }
      this.emit('settings')
    })
    const handleClose = () => {
      endPings()
      this.#client = null
      this.#disconnects += 1
      if (!this.#isEnded) this.#handleLoss(this.#movedTrouble())
    }
    this.emit('settings')
    if (client.isClosed) {
      handleClose()
      return
    }
    client.on('closed', handleClose)
    this.emit('health', this.health)
  }

  #ping(client: EndpointClient): () => void {
    const responses = watchResponses(systemClock, PING_INTERVAL_MS)
    client.on('received', () => responses.noteAnswer())
    const timer = setInterval(() => {
      if (responses.measureSilentMs() > SILENCE_TIMEOUT_MS) client.close()
      else client.ping()
    }, PING_INTERVAL_MS)
    return () => clearInterval(timer)
  }

  #handleLoss(trouble: string | null): void {
    const isNew = this.#trouble !== trouble || this.#timer === null
    this.#trouble = trouble
    if (isNew) this.emit('health', this.health)
    this.#timer = setTimeout(() => void this.#reattach(), REATTACH_INTERVAL_MS)
  }

  async #reattach(): Promise<void> {
    const timer = this.#timer
    const isStale = () => this.#isEnded || this.#timer !== timer
    try {
      const client = await this.#connect()
      if (isStale()) {
        client?.close()
        return
      }
      if (client === null) this.#handleLoss(this.#movedTrouble())
      else {
        this.#timer = null
        this.#adopt(client)
      }
    } catch (error) {
      if (!isStale()) this.#handleLoss((error as Error).message)
    }
  }
}
