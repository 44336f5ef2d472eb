import { createHash } from 'node:crypto'
import { done, type Failure, failed, type Outcome } from '../../../main/agent/domain/failure.ts'
import { FileChangedError, FileUnreadableError } from '../../../main/agent/ports/files.ts'
import type {
  Answered,
  CreatedSession,
  RemoteSession,
  ServiceClient,
  SessionFilter,
} from '../../../main/agent/ports/service.ts'
import type { CreateSessionRequest } from '../../../shared/contract/control-api.ts'
import { contentOf, partDigest } from './content.ts'

export type ServiceCall = 'create' | 'retrieve' | 'complete' | 'list' | 'delete' | 'part' | 'test-key'

/** The outcome of a call. With `lost`, the service processes the call, and only the answer fails. */
export type Fate =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused' | 'lost'; readonly failure: Failure }
  | { readonly kind: 'never' }

type ModelSession = {
  readonly id: string
  readonly request: CreateSessionRequest
  readonly createdAtMs: number
  readonly parts: Map<number, { readonly sha256: string; readonly etag: string }>
  status: 'uploading' | 'processing' | 'processed' | 'failed'
  completedAtMs: number
}

const PROCESSING_MS = 2_000
const URL_LIFETIME_MS = 3_600_000
/** A stage that sends this many requests while the clock stands still is in an endless loop. */
const MAX_CALLS_AT_ONCE = 10_000

/** A service in memory that follows the contract. */
export class ModelService {
  readonly sessions = new Map<string, ModelSession>()
  readonly deletions: { readonly id: string; readonly wasComplete: boolean }[] = []
  readonly calls: ServiceCall[] = []
  /** Each new client reads this value. */
  usesTestKey = false
  /** Decides the fate of each call before it runs. */
  fate: (call: ServiceCall) => Fate = () => ({ kind: 'answered' })
  readonly #now: () => number
  /** The first answer to each idempotency key. */
  readonly #creations = new Map<string, CreatedSession>()
  /** The session that each idempotency key completed. */
  readonly #completions = new Map<string, string>()
  #ids = 0
  #momentMs = 0
  #callsAtThisMoment = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Adds processed sessions of other stations at the same site, one for each minute before now. */
  addOlderSessions(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const sha256 = createHash('sha256').update(`older ${n}`).digest('hex')
      const id = `ses_older_${n}`
      this.sessions.set(id, {
        id,
        request: { site: 'lab', filename: `older-${n}.bin`, bytes: 1000, sha256, part_size: 1000 },
        createdAtMs: this.#now() - (count - n) * 60_000,
        parts: new Map(),
        status: 'processed',
        completedAtMs: 0,
      })
    }
  }

  completeSessions(): readonly ModelSession[] {
    return [...this.sessions.values()].filter(({ status }) => status !== 'uploading')
  }

  countCalls(name: ServiceCall): number {
    return this.calls.filter((call) => call === name).length
  }

  client(): ServiceClient {
    return {
      usesTestKey: this.usesTestKey,
      createSession: (request, key) =>
        this.#call(
          'create',
          () => this.#create(request, key),
          // §8: a repeated key gets its first answer again, so the service can no longer reject the request.
          ({ kind }) => kind !== 'rejected' || !this.#creations.has(key),
        ),
      retrieveSession: (id) => this.#call('retrieve', () => this.#retrieve(id)),
      completeSession: (id, { parts }, key) => this.#call('complete', () => this.#complete(id, parts, key)),
      listSessions: (filter) => this.#call('list', () => this.#list(filter)),
      deleteSession: (id) => this.#call('delete', () => this.#delete(id)),
      createWebhookEndpoint: () => this.#call('create', () => answerWith({ id: 'wh_1', secret: 'none' })),
      testKey: () => this.#call('test-key', () => done('write' as const)),
      sendPart: async (part) => {
        const failure = await readAll(part.body())
        if (failure !== null) return failed(failure)
        return this.#call('part', () => this.#store(part.url, part.sha256Base64))
      },
      nowMs: this.#now,
      clockOffsetMs: () => 0,
      reconnect: () => {},
      close: async () => {},
    }
  }

  async #call<T>(
    call: ServiceCall,
    act: () => Outcome<T>,
    canFail: (failure: Failure) => boolean = () => true,
  ): Promise<Outcome<T>> {
    this.calls.push(call)
    this.#callsAtThisMoment = this.#momentMs === this.#now() ? this.#callsAtThisMoment + 1 : 1
    this.#momentMs = this.#now()
    if (this.#callsAtThisMoment > MAX_CALLS_AT_ONCE) throw new Error(`endless calls to the service: ${call}`)
    const plannedFate = this.fate(call)
    const fate: Fate =
      'failure' in plannedFate && !canFail(plannedFate.failure) ? { kind: 'answered' } : plannedFate
    await Promise.resolve()
    switch (fate.kind) {
      case 'answered':
        return act()
      case 'refused':
        return failed(fate.failure)
      case 'lost':
        act()
        return failed(fate.failure)
      case 'never':
        return new Promise(() => {})
    }
  }

  #create(request: CreateSessionRequest, key: string) {
    // §8: a repeated key gets its first answer again.
    const firstAnswer = this.#creations.get(key)
    if (firstAnswer !== undefined)
      return this.sessions.has(firstAnswer.id) ? answerWith(firstAnswer) : failed(notFound)
    const session = this.#open(request)
    const answer = { id: session.id, upload: this.#upload(session) }
    this.#creations.set(key, answer)
    return answerWith(answer)
  }

  #open(request: CreateSessionRequest): ModelSession {
    this.#ids += 1
    const id = `ses_${this.#ids}`
    const session: ModelSession = {
      id,
      request,
      createdAtMs: this.#now(),
      parts: new Map(),
      status: 'uploading',
      completedAtMs: 0,
    }
    this.sessions.set(id, session)
    return session
  }

  #retrieve(id: string): Outcome<Answered<RemoteSession>> {
    const session = this.sessions.get(id)
    if (session === undefined) return failed(notFound)
    return answerWith(this.#view(session))
  }

  /** §4.5: newest first. */
  #list({ site, status, createdFrom, createdBefore, limit = 50, cursor = '0' }: SessionFilter) {
    const fromMs = createdFrom === undefined ? Number.NEGATIVE_INFINITY : Date.parse(createdFrom)
    const beforeMs = createdBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(createdBefore)
    const matches = [...this.sessions.values()]
      .reverse()
      .filter(({ request }) => site === undefined || request.site === site)
      .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < beforeMs)
      .filter((session) => status === undefined || this.#view(session).status === status)
    const start = Number(cursor)
    const end = start + limit
    return answerWith({
      sessions: matches.slice(start, end).map((session) => ({ ...this.#view(session), upload: null })),
      nextCursor: end < matches.length ? String(end) : null,
    })
  }

  #complete(id: string, parts: readonly { readonly number: number; readonly etag: string }[], key: string) {
    const session = this.sessions.get(id)
    if (session === undefined) return failed(notFound)
    if (this.#completions.get(key) === id) return answerWith({ ...this.#view(session), status: 'processing' })
    if (session.status !== 'uploading') return failed(conflict('conflict'))
    const { sha256, part_size = 0 } = session.request
    for (const { number, etag } of parts) {
      const stored = session.parts.get(number)
      if (stored?.etag !== etag) return failed(conflict('checksum_mismatch'))
      if (stored.sha256 !== partDigest(contentOf(sha256), number, part_size))
        return failed(conflict('checksum_mismatch'))
    }
    session.status = 'processing'
    session.completedAtMs = this.#now()
    this.#completions.set(key, id)
    return answerWith(this.#view(session))
  }

  #delete(id: string) {
    const session = this.sessions.get(id)
    if (session === undefined) return failed(notFound)
    this.deletions.push({ id, wasComplete: session.status !== 'uploading' })
    this.sessions.delete(id)
    return answerWith({ id, object: 'session' as const, deleted: true as const })
  }

  #store(url: string, sha256Base64: string) {
    const [id = '', number = ''] = url.replace('https://storage.invalid/', '').split('/')
    const session = this.sessions.get(id)
    if (session?.status !== 'uploading')
      return failed({ ...rejection, origin: 'storage' as const, status: 404 })
    const sha256 = Buffer.from(sha256Base64, 'base64').toString('hex')
    const etag = `"${id}-${number}-${session.parts.size}"`
    session.parts.set(Number(number), { sha256, etag })
    return done({ etag })
  }

  #upload(session: ModelSession) {
    const { bytes, part_size = bytes } = session.request
    const count = Math.ceil(bytes / part_size)
    const missingNumbers = Array.from({ length: count }, (_, index) => index + 1).filter(
      (n) => !session.parts.has(n),
    )
    return {
      partSizeBytes: part_size,
      expiresAtMs: this.#now() + URL_LIFETIME_MS,
      parts: missingNumbers.map((number) => ({
        number,
        url: `https://storage.invalid/${session.id}/${number}`,
      })),
    }
  }

  #view(session: ModelSession): RemoteSession {
    const isDone = this.#now() - session.completedAtMs >= PROCESSING_MS
    if (session.status === 'processing' && isDone) session.status = 'processed'
    const { site, filename, bytes, sha256, device = null, notes = null } = session.request
    return {
      id: session.id,
      status: session.status,
      site,
      device,
      filename,
      bytes,
      sha256,
      recordedAt: null,
      durationS: null,
      channels: [],
      segmentCount: null,
      issues: [],
      notes,
      createdAt: new Date(session.createdAtMs).toISOString(),
      processedAt: null,
      upload: session.status === 'uploading' ? this.#upload(session) : null,
    }
  }
}

const requestId = 'req_model'
const answerWith = <T>(value: T): Outcome<Answered<T>> => done({ value, requestId })
const notFound: Failure = { kind: 'not-found', message: 'gone', requestId }
const conflict = (code: string): Failure => ({ kind: 'conflict', code, message: 'no', requestId })
const rejection = {
  kind: 'rejected',
  origin: 'control',
  status: 400,
  code: 'parameter_invalid',
  message: 'no',
  param: 'parts',
  requestId,
} as const

/** Reads the whole part. Returns the failure that the part sender would report, or null. */
const readAll = async (body: AsyncIterable<Uint8Array>): Promise<Failure | null> => {
  try {
    for await (const _ of body);
    return null
  } catch (error) {
    if (error instanceof FileChangedError) return { kind: 'file-changed', detail: error.message }
    if (error instanceof FileUnreadableError) return error.failure
    throw error
  }
}
