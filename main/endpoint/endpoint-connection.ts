import type { Socket } from 'node:net'
import {
  type EndpointCallName,
  type EndpointMessage,
  type Greeting,
  type Hello,
  helloSchema,
  MAX_HELLO_BYTES,
  MAX_REQUEST_BYTES,
  type Request,
  requestSchema,
} from '../../shared/ipc/endpoint-protocol.ts'
import type { CallAnswer } from '../../shared/ipc/ipc.ts'
import type { Status } from '../../shared/status/status.ts'
import { FrameReader, frameOf } from './frames.ts'

export type EndpointLimits = {
  readonly clients: number
  /** The limit for connections that have not sent a hello yet. */
  readonly halfOpen: number
  /** A user with many clients must not keep other users out. */
  readonly clientsOfOneUser: number
  readonly helloTimeoutMs: number
  /** How long a client may send nothing. A window sends a ping every few seconds. */
  readonly idleTimeoutMs: number
  /** How long a client may leave its messages unread. */
  readonly unreadTimeoutMs: number
  readonly callsAtOnce: number
  /** The largest answer. A client disconnects when it gets a larger one. */
  readonly answerBytes: number
  /** The limit for unread bytes of all clients together. */
  readonly unreadBytes: number
  /**
   * The shortest time between two reconnects. For each reconnect, the agent interrupts its uploads, connects to the
   * service again and scans all folders.
   */
  readonly reconnectIntervalMs: number
}

/** What a connection needs from the endpoint. */
export type ConnectionHost = {
  readonly answer: (name: EndpointCallName, args: unknown) => Promise<CallAnswer<unknown>>
  readonly reconnect: (reason: string) => void
  readonly greetingFor: (hello: Hello, user: number | null) => Greeting
  readonly sendFirstStatus: (connection: Connection) => void
  readonly forget: (connection: Connection) => void
  /**
   * Makes room for the frame in `unreadBytes`: disconnects clients with more unread bytes than `connection`. False if
   * there is still no room.
   */
  readonly freeBufferFor: (frame: Buffer, connection: Connection) => boolean
  readonly log: (sentence: string) => void
}

/** A connection becomes a client when the endpoint accepts its hello. */
export class Connection {
  /** Null if the system does not report the user. */
  readonly user: number | null
  readonly #socket: Socket
  readonly #reader = new FrameReader(MAX_HELLO_BYTES)
  readonly #limits: EndpointLimits
  readonly #endpoint: ConnectionHost
  #isGreeted = false
  #calls = 0
  #waitingStatus: Status | null = null
  #unreadTimer: NodeJS.Timeout | null = null
  readonly #helloTimer: NodeJS.Timeout
  #idleTimer: NodeJS.Timeout | null = null

  constructor(socket: Socket, user: number | null, endpoint: ConnectionHost, limits: EndpointLimits) {
    this.#socket = socket
    this.user = user
    this.#endpoint = endpoint
    this.#limits = limits
    this.#helloTimer = setTimeout(() => this.end(), limits.helloTimeoutMs)
    socket.on('data', (chunk) => this.#handleData(chunk))
    socket.on('drain', () => this.#handleDrain())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(this.#helloTimer)
      for (const timer of [this.#unreadTimer, this.#idleTimer]) if (timer !== null) clearTimeout(timer)
      endpoint.forget(this)
    })
  }

  get isGreeted(): boolean {
    return this.#isGreeted
  }

  get unreadBytes(): number {
    return this.#socket.writableLength
  }

  end(): void {
    this.#socket.destroy()
  }

  pushStatus(status: Status): void {
    // After a slow client has read its earlier messages, it gets only the newest status.
    if (this.#socket.writableLength > 0) this.#waitingStatus = status
    else this.send({ kind: 'status', status })
  }

  send(message: EndpointMessage): void {
    this.#write(frameOf(message))
  }

  #write(frame: Buffer): void {
    if (this.#socket.destroyed) return
    if (!this.#endpoint.freeBufferFor(frame, this)) {
      this.end()
      return
    }
    if (this.#socket.write(frame)) return
    this.#unreadTimer ??= setTimeout(() => {
      this.#endpoint.log('a window or command did not read its messages and was disconnected')
      this.end()
    }, this.#limits.unreadTimeoutMs)
  }

  #handleDrain(): void {
    if (this.#unreadTimer !== null) clearTimeout(this.#unreadTimer)
    this.#unreadTimer = null
    const status = this.#waitingStatus
    this.#waitingStatus = null
    if (status !== null) this.send({ kind: 'status', status })
  }

  #handleData(chunk: Buffer): void {
    this.#idleTimer?.refresh()
    this.#reader.push(chunk)
    try {
      for (let found = this.#reader.next(); found !== undefined; found = this.#reader.next()) {
        if (this.#socket.destroyed || this.#socket.writableEnded) return
        if (this.#isGreeted) this.#handle(requestSchema.parse(found.message))
        else this.#greet(helloSchema.parse(found.message))
      }
    } catch {
      // The frame is too large, is not JSON, or matches no schema. Our own clients never send such a frame.
      this.end()
    }
  }

  #greet(hello: Hello): void {
    const greeting = this.#endpoint.greetingFor(hello, this.user)
    if (greeting.kind === 'refused') {
      // A refused client could send any amount of data, so stop reading. The hello timer disconnects a client that does
      // not read the refusal.
      this.#socket.pause()
      this.#socket.end(frameOf(greeting), () => this.end())
      return
    }
    clearTimeout(this.#helloTimer)
    this.#isGreeted = true
    this.#idleTimer = setTimeout(() => this.#endIfIdle(), this.#limits.idleTimeoutMs)
    this.#reader.maxBytes = MAX_REQUEST_BYTES
    this.#write(frameOf(greeting))
    this.#endpoint.sendFirstStatus(this)
  }

  /**
   * Disconnects an idle client, unless it waits for the answer to a call: a call may take longer than the idle timeout.
   * A window that is disconnected after a long suspend of the PC attaches again by itself.
   */
  #endIfIdle(): void {
    if (this.#calls === 0) this.end()
    else this.#idleTimer?.refresh()
  }

  #handle(request: Request): void {
    switch (request.kind) {
      case 'ping':
        this.send({ kind: 'pong' })
        return
      case 'reconnect':
        this.#endpoint.reconnect(request.reason)
        return
      case 'call':
        void this.#call(request)
        return
    }
  }

  async #call({ id, name, args }: Extract<Request, { kind: 'call' }>): Promise<void> {
    if (this.#calls >= this.#limits.callsAtOnce) {
      this.send({ kind: 'answer', id, answer: busy })
      return
    }
    this.#calls += 1
    const answer = await this.#endpoint.answer(name, args)
    this.#calls -= 1
    this.#write(this.#answerFrame(id, answer) ?? frameOf({ kind: 'answer', id, answer: tooLarge }))
  }

  /** Null if the answer is larger than a client accepts, or longer than a string can be. */
  #answerFrame(id: number, answer: CallAnswer<unknown>): Buffer | null {
    try {
      const frame = frameOf({ kind: 'answer', id, answer } satisfies EndpointMessage)
      return frame.length > this.#limits.answerBytes ? null : frame
    } catch {
      return null
    }
  }
}

export const busy: CallAnswer<never> = {
  ok: false,
  error: { kind: 'refused', message: 'The agent is busy. Try again in a moment.' },
}

const tooLarge: CallAnswer<never> = {
  ok: false,
  error: {
    kind: 'refused',
    message:
      'The answer is too large to send to a window, or to a command of a different account. Choose fewer recordings, or run the command with the account of the agent.',
  },
}
