import { timingSafeEqual } from 'node:crypto'
import { chmodSync, chownSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { AgentIdentity } from '../../shared/ipc/agent-health.ts'
import {
  ENDPOINT_PROTOCOL,
  type EndpointCallName,
  type Greeting,
  type Hello,
  MAX_ANSWER_BYTES,
  versionConflict,
} from '../../shared/ipc/endpoint-protocol.ts'
import type { CallAnswer, SettingsState } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { busy, Connection, type EndpointLimits } from './endpoint-connection.ts'
import { type EndpointPlace, removeStale } from './endpoint-place.ts'
import type { GroupId } from './group-id.ts'
import { loadPeerUserReader, type PeerUserReader } from './peer-user.ts'
import { restrictPipe } from './windows-pipe.ts'

const LIMITS: EndpointLimits = {
  clients: 32,
  clientsOfOneUser: 16,
  halfOpen: 8,
  helloTimeoutMs: 5_000,
  idleTimeoutMs: 600_000,
  unreadTimeoutMs: 30_000,
  callsAtOnce: 16,
  answerBytes: MAX_ANSWER_BYTES,
  unreadBytes: 2 * MAX_ANSWER_BYTES,
  reconnectIntervalMs: 10_000,
}

/**
 * The answers to these calls take tens of megabytes, so the agent builds only one at a time for all clients together.
 */
const largeCalls: ReadonlySet<EndpointCallName> = new Set([
  'makeReceipt',
  'makeSupportReport',
  'getStatusReport',
  'getExportedRecordings',
])

const TOO_MANY_CLIENTS =
  'The agent is busy: too many windows and commands are connected to it. Close some of them, or try again in a moment.'

const OWNER_ONLY = 0o600
const OWNER_AND_GROUP = 0o660

export type EndpointOptions = {
  readonly place: EndpointPlace
  /** The id of the group whose members may connect. Null if only this account may connect. */
  readonly groupId: GroupId | null
  readonly agent: AgentIdentity
  readonly answer: (name: EndpointCallName, args: unknown) => Promise<CallAnswer<unknown>>
  readonly reconnect: (reason: string) => void
  /** Null if a window stores the settings of this station. */
  readonly settings: () => SettingsState | null
  readonly status: () => Status | null
  readonly log: (sentence: string) => void
  readonly limits?: Partial<EndpointLimits>
  /** Finds the user of a connection. Only tests set this. */
  readonly userOf?: PeerUserReader
}

/** Admits only this account and, if `groupId` is set, the group. Administrators can always connect. */
const restrict = (place: string, groupId: GroupId | null): void => {
  if (process.platform === 'win32') {
    restrictPipe(place, groupId === null ? null : String(groupId))
    return
  }
  if (groupId !== null) chownSync(place, process.geteuid?.() ?? 0, Number(groupId))
  chmodSync(place, groupId === null ? OWNER_ONLY : OWNER_AND_GROUP)
}

/**
 * Hard case: A different user of the PC connects to the agent.
 * The socket admits only the agent's account and root. If the settings name a group, a second socket admits its
 * members. The agent limits connections, frames and unread answers, and disconnects a client that breaks the protocol.
 */
export class Endpoint {
  readonly #options: EndpointOptions
  readonly #limits: EndpointLimits
  readonly #connections = new Set<Connection>()
  readonly #server: Server
  readonly #userOf: PeerUserReader
  #lastLargeCall: Promise<void> = Promise.resolve()
  #pendingLargeCalls = 0
  #reconnectTimer: NodeJS.Timeout | null = null
  /** The reason of the latest waiting reconnect request. One reconnect serves all waiting requests. */
  #reconnectReason: string | null = null

  private constructor(options: EndpointOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    // Only the endpoint of a group has clients of several users.
    this.#userOf = options.userOf ?? (options.groupId === null ? () => null : loadPeerUserReader())
    this.#server = createServer((socket) => this.#handleConnection(socket))
  }

  /** The caller must hold the lock of the data folder. Throws a ForeignEndpointError or the error of the system. */
  static async open(options: EndpointOptions): Promise<Endpoint> {
    const { place, groupId } = options
    const endpoint = new Endpoint(options)
    if (process.platform !== 'win32') removeStale(place.path)
    await new Promise<void>((resolve, reject) => {
      endpoint.#server.once('error', reject)
      // Until `restrict` has run, the umask of this process keeps other users out. On Windows, other users can read the
      // pipe until then, but not write to it.
      endpoint.#server.listen(place.path, resolve)
    })
    try {
      restrict(place.path, groupId)
    } catch (error) {
      await endpoint.close()
      throw error
    }
    endpoint.#server.on('error', (error) =>
      endpoint.log(`the endpoint for attached windows failed: ${error.message}`),
    )
    return endpoint
  }

  get clients(): number {
    return [...this.#connections].filter(({ isGreeted }) => isGreeted).length
  }

  pushStatus(status: Status): void {
    for (const connection of this.#connections) if (connection.isGreeted) connection.pushStatus(status)
  }

  pushSettings(settings: SettingsState): void {
    for (const connection of this.#connections)
      if (connection.isGreeted) connection.send({ kind: 'settings', settings })
  }

  async close(): Promise<void> {
    if (this.#reconnectTimer !== null) clearTimeout(this.#reconnectTimer)
    for (const connection of this.#connections) connection.end()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
  }

  log(sentence: string): void {
    this.#options.log(sentence)
  }

  reconnect(reason: string): void {
    if (this.#reconnectTimer !== null) {
      this.#reconnectReason = reason
      return
    }
    this.#options.reconnect(reason)
    this.#reconnectTimer = setTimeout(() => {
      const waiting = this.#reconnectReason
      this.#reconnectTimer = null
      this.#reconnectReason = null
      if (waiting !== null) this.reconnect(waiting)
    }, this.#limits.reconnectIntervalMs)
  }

  async answer(name: EndpointCallName, args: unknown): Promise<CallAnswer<unknown>> {
    if (!largeCalls.has(name)) return this.#options.answer(name, args)
    if (this.#pendingLargeCalls >= this.#limits.callsAtOnce) return busy
    this.#pendingLargeCalls += 1
    const answered = this.#lastLargeCall.then(() => this.#options.answer(name, args))
    this.#lastLargeCall = answered.then(
      () => {},
      () => {},
    )
    try {
      return await answered
    } finally {
      this.#pendingLargeCalls -= 1
    }
  }

  freeBufferFor(frame: Buffer, connection: Connection): boolean {
    const maxUnreadBytes = this.#limits.unreadBytes
    if (connection.unreadBytes + frame.length > maxUnreadBytes) return false
    const unread = () => [...this.#connections].reduce((sum, { unreadBytes }) => sum + unreadBytes, 0)
    while (unread() + frame.length > maxUnreadBytes) {
      const [slowest] = [...this.#connections].toSorted((a, b) => b.unreadBytes - a.unreadBytes)
      if (slowest === undefined || slowest === connection) return false
      slowest.end()
      this.forget(slowest)
    }
    return true
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection)
  }

  sendFirstStatus(connection: Connection): void {
    const status = this.#options.status()
    if (status !== null) connection.pushStatus(status)
  }

  greetingFor(hello: Hello, user: number | null): Greeting {
    const { agent, place, settings } = this.#options
    const own = { protocol: ENDPOINT_PROTOCOL, version: agent.version }
    const conflict = versionConflict(hello, own, 'this program')
    if (conflict !== null) return { kind: 'refused', ...own, message: conflict }
    if (place.token !== null && !isSame(hello.token ?? '', place.token))
      return { kind: 'refused', ...own, message: 'This account may not connect to the agent.' }
    // Send a refusal instead of only closing the connection: otherwise the client concludes that no agent runs.
    if (this.#isFullFor(user)) return { kind: 'refused', ...own, message: TOO_MANY_CLIENTS }
    return { kind: 'welcome', ...own, agent, settings: settings() }
  }

  #handleConnection(socket: Socket): void {
    const user = this.#userOf(socket)
    this.#limitHalfOpen(user)
    this.#connections.add(new Connection(socket, user, this, this.#limits))
  }

  #isFullFor(user: number | null): boolean {
    const clients = [...this.#connections].filter(({ isGreeted }) => isGreeted)
    const ofUser = user === null ? [] : clients.filter((other) => other.user === user)
    return clients.length >= this.#limits.clients || ofUser.length >= this.#limits.clientsOfOneUser
  }

  /**
   * Call before adding a connection of `newUser`. Limits the connections that have sent no hello. At the limit, finds
   * the user with the most of these connections, and disconnects this user's oldest one. So other users keep
   * their connections.
   */
  #limitHalfOpen(newUser: number | null): void {
    const waiting = [...this.#connections].filter(({ isGreeted }) => !isGreeted)
    if (waiting.length < this.#limits.halfOpen) return
    const users = [newUser, ...waiting.map(({ user }) => user)]
    const countOf = (user: number | null) => users.filter((other) => other === user).length
    // The sort is stable, so the oldest connection of that user comes first.
    waiting.toSorted((a, b) => countOf(b.user) - countOf(a.user))[0]?.end()
  }
}

const isSame = (given: string, wanted: string): boolean => {
  const [one, two] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === two.length && timingSafeEqual(one, two)
}
