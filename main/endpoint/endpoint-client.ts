import { EventEmitter } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import type { AgentIdentity } from '../../shared/ipc/agent-health.ts'
import {
  ENDPOINT_PROTOCOL,
  type EndpointCallName,
  type EndpointMessage,
  greetingSchema,
  type Hello,
  MAX_ANSWER_BYTES,
  type Request,
  versionConflict,
} from '../../shared/ipc/endpoint-protocol.ts'
import type { CallAnswer, SettingsState } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { type EndpointPlace, findPlace, requireOwnPipe, requireOwnSocket } from './endpoint-place.ts'
import { FrameReader, frameOf } from './frames.ts'
import { PendingCalls, unavailable } from './pending-calls.ts'

const GREETING_TIMEOUT_MS = 10_000
const OWNER_RETRY_MS = 50

type Events = { status: [Status]; settings: [SettingsState]; received: []; closed: [] }

/**
 * A program listens, but this client cannot use it: the agent refuses or does not answer, or the program is no agent.
 * The message is for users.
 */
export class AgentRefusedError extends Error {}

/** True if the error means that no agent listens at the place. */
const isAbsent = (error: NodeJS.ErrnoException): boolean =>
  ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '')

/** A connection to a running agent. */
export class EndpointClient extends EventEmitter<Events> {
  readonly agent: AgentIdentity
  /** Null if the agent belongs to a window, because that window stores the settings of the station. */
  settings: SettingsState | null
  readonly #socket: Socket
  readonly #reader: FrameReader
  readonly #pending = new PendingCalls()

  constructor(
    socket: Socket,
    reader: FrameReader,
    welcome: { readonly agent: AgentIdentity; readonly settings: SettingsState | null },
  ) {
    super()
    this.#socket = socket
    this.#reader = reader
    this.agent = welcome.agent
    this.settings = welcome.settings
    socket.on('data', (chunk: Buffer) => {
      reader.push(chunk)
      this.#readAll()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#pending.settleAll('The agent stopped.')
      this.emit('closed')
    })
    // Other messages may have arrived with the welcome. Read them only after the caller has added its listeners.
    setImmediate(() => this.#readAll())
  }

  call(name: EndpointCallName, args: unknown): Promise<CallAnswer<unknown>> {
    if (this.#socket.destroyed) return Promise.resolve(unavailable('The agent stopped.'))
    return this.#pending.add((id) => this.#send({ kind: 'call', id, name, args }))
  }

  reconnect(reason: string): void {
    this.#send({ kind: 'reconnect', reason })
  }

  ping(): void {
    this.#send({ kind: 'ping' })
  }

  close(): void {
    this.#socket.destroy()
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  #send(request: Request): void {
    if (!this.#socket.destroyed) this.#socket.write(frameOf(request))
  }

  #readAll(): void {
    try {
      for (let found = this.#reader.next(); found !== undefined; found = this.#reader.next())
        this.#receive(found.message as EndpointMessage)
    } catch {
      this.#socket.destroy()
    }
  }

  #receive(message: EndpointMessage): void {
    this.emit('received')
    switch (message.kind) {
      case 'answer':
        this.#pending.settle(message.id, message.answer)
        return
      case 'status':
        this.emit('status', message.status)
        return
      case 'settings':
        this.settings = message.settings
        this.emit('settings', message.settings)
        return
      case 'pong':
        return
    }
  }
}

type ClientOptions = { readonly version: string; readonly clientIs: string }

/**
 * Connects to `place`, sends a hello and waits for the agent's greeting. Null if no agent listens at `place`, or if the
 * connection closes before the greeting. Sends no hello while `isOwned` returns false.
 */
export const greet = (
  place: EndpointPlace,
  isOwned: () => boolean,
  { version, clientIs }: ClientOptions,
): Promise<EndpointClient | null> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(place.path)
    const reader = new FrameReader(MAX_ANSWER_BYTES)
    const fail = (error: Error | null) => {
      socket.destroy()
      if (error === null) resolve(null)
      else reject(error)
    }
    let ownerTimer: NodeJS.Timeout | undefined
    let hasSaidHello = false
    const timer = setTimeout(() => {
      finish()
      fail(new AgentRefusedError('The agent does not answer. Restart it.'))
    }, GREETING_TIMEOUT_MS)
    const onData = (chunk: Buffer) => {
      reader.push(chunk)
      try {
        // An agent speaks only after the hello, and there is no hello before the owner is known.
        if (!hasSaidHello) throw new Error('a greeting before the hello')
        const found = reader.next()
        if (found === undefined) return
        const greeting = greetingSchema.parse(found.message)
        finish()
        // Check the versions here too: an older agent cannot know the rules of a newer protocol.
        const conflict = versionConflict({ protocol: ENDPOINT_PROTOCOL, version }, greeting, clientIs)
        if (conflict !== null) fail(new AgentRefusedError(conflict))
        else if (greeting.kind === 'refused') fail(new AgentRefusedError(greeting.message))
        else resolve(new EndpointClient(socket, reader, greeting))
      } catch {
        finish()
        fail(new AgentRefusedError('A program that is not a Sluice agent answers for this station.'))
      }
    }
    const onError = (error: NodeJS.ErrnoException) => {
      finish()
      if (isAbsent(error)) fail(null)
      else if (error.code === 'EACCES' || error.code === 'EPERM')
        fail(
          new AgentRefusedError(
            'This account may not connect to the agent of this station. Join the group in control.group and sign in again, or ask an administrator.',
          ),
        )
      else fail(error)
    }
    const onClose = () => {
      finish()
      fail(null)
    }
    const onConnect = () => {
      try {
        hasSaidHello = isOwned()
        if (hasSaidHello) socket.write(frameOf(hello))
        else ownerTimer = setTimeout(onConnect, OWNER_RETRY_MS)
      } catch (error) {
        finish()
        fail(error as Error)
      }
    }
    const finish = () => {
      clearTimeout(timer)
      clearTimeout(ownerTimer)
      socket.off('connect', onConnect).off('data', onData).off('error', onError).off('close', onClose)
      // A late error of an abandoned connection must not end the process.
      socket.on('error', () => {})
    }
    socket.on('connect', onConnect).on('data', onData).on('error', onError).on('close', onClose)
    const hello: Hello = {
      kind: 'hello',
      protocol: ENDPOINT_PROTOCOL,
      version,
      ...(place.token === null ? {} : { token: place.token }),
    }
  })

/**
 * Connects to the agent of a data folder. Null if no agent runs. Throws an AgentRefusedError or a ForeignEndpointError
 * with a sentence for the user, or the error of the system.
 */
export const connectToAgent = async (
  dataFolder: string,
  options: ClientOptions,
): Promise<EndpointClient | null> => {
  const place = findPlace(dataFolder)
  if (place === null) return null
  // Check the owner after connecting: a Windows pipe has an owner only while it is open, and a program may have
  // replaced a socket since `findPlace`.
  const isOwned =
    process.platform === 'win32'
      ? () => requireOwnPipe(place.path, dataFolder)
      : () => requireOwnSocket(place.path, dataFolder)
  return greet(place, isOwned, options)
}
