import type { LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { isTestKey } from '../../../shared/contract/api-key.ts'
import { done, type Failure, failed, type Outcome } from '../domain/failure.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import type { Answered, ServiceClient, SessionFilter } from '../ports/service.ts'
import { isSafeAddress } from './addresses.ts'
import { createdAnswer, deletedAnswer, listAnswer, sessionAnswer, webhookAnswer } from './answers.ts'
import { openConnection, type ProxyChoice } from './connection.ts'
import { type ControlContext, type ControlRequest, controlRequest } from './control-request.ts'
import { createGuardedLookup } from './guarded-lookup.ts'
import { createPartRefusal } from './part-hosts.ts'
import { sendPart } from './part-sender.ts'
import { createRateLimit } from './rate-limit.ts'
import { createScrub } from './scrub.ts'
import { createServiceClock } from './service-clock.ts'

export type ServiceClientOptions = {
  /** Scheme and host. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly checksumHeader: string
  readonly proxy: ProxyChoice
  readonly caFile?: string
  /** If set, only these hosts may receive parts. `*.example.com` allows all names below `example.com`. */
  readonly uploadHosts?: readonly string[]
  /** Called once for each host that receives a part. */
  readonly onUploadHost?: (host: string) => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly idleTimeoutMs?: number
  readonly lookup?: LookupFunction
}

/** 10,000 signed URLs of 2 KiB. No valid answer is larger. */
const MAX_UPLOAD_ANSWER_BYTES = 24 * 1024 * 1024
/** 500 sessions with their channels and issues. */
const MAX_LIST_BYTES = 16 * 1024 * 1024
const IDLE_TIMEOUT_MS = 60_000
const CONNECT_TIMEOUT_MS = 15_000

/** The service verifies the whole file before it answers `complete` (§4.3). */
const COMPLETE_TIMEOUT_FACTOR = 5

const queryOf = (filter: SessionFilter): string => {
  const query = new URLSearchParams()
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) query.set(name, String(value))
  }
  add('site', filter.site)
  add('status', filter.status)
  add('created[gte]', filter.createdFrom)
  add('created[lt]', filter.createdBefore)
  add('limit', filter.limit)
  add('cursor', filter.cursor)
  return query.size === 0 ? '' : `?${query}`
}

const sessionPath = (id: string) => `/v1/sessions/${encodeURIComponent(id)}`

/** Turns an answer about a different session into a failure. */
const requireSession = <T extends { readonly id: string }>(id: string, outcome: Outcome<Answered<T>>) =>
  outcome.ok && outcome.value.value.id !== id
    ? failed({
        kind: 'unreadable-answer',
        detail: 'the answer is about a different session',
        requestId: outcome.value.requestId,
      })
    : outcome

type Forbidden = Outcome<never> & {
  readonly ok: false
  readonly failure: Extract<Failure, { kind: 'auth' }>
}

/**
 * Whether the service answered 403. Only for requests that read: a request that writes also gets 403 if its key is
 * read-only.
 */
const isForbidden = (outcome: Outcome<unknown>): outcome is Forbidden =>
  !outcome.ok && outcome.failure.kind === 'auth' && outcome.failure.reason === 'not-permitted'

const refusalOf = (kind: 'list-refused' | 'other-organisation', { failure }: Forbidden): Outcome<never> =>
  failed({ kind, message: failure.message, requestId: failure.requestId })

export const createServiceClient = (options: ServiceClientOptions): ServiceClient => {
  if (!isSafeAddress(options.baseUrl)) throw new TypeError('the service address must be https')
  const idleMs = options.idleTimeoutMs ?? IDLE_TIMEOUT_MS
  // Upload hosts that an administrator lists need no check of their IP addresses.
  const lookup =
    options.uploadHosts === undefined ? createGuardedLookup(options.baseUrl, options.lookup) : options.lookup
  const connect = () => {
    const newConnection = openConnection({
      proxy: options.proxy,
      ...(lookup === undefined ? {} : { lookup }),
      ...(options.caFile === undefined ? {} : { caFile: options.caFile }),
      connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, idleMs),
    })
    if (newConnection.trustProblem !== null) options.log.warn(newConnection.trustProblem)
    return newConnection
  }
  let connection = connect()
  const scrub = createScrub([options.apiKey])
  const serviceClock = createServiceClock(options.clock)
  const context: ControlContext = {
    baseUrl: new URL(options.baseUrl).origin,
    apiKey: options.apiKey,
    idleMs,
    clock: options.clock,
    serviceClock,
    rateLimit: createRateLimit({
      clock: options.clock,
      random: options.random,
      sleep: (ms, signal) => delay(ms, undefined, { signal }),
    }),
    scrub,
    connection: () => connection,
  }
  const findRefusal = createPartRefusal(options.baseUrl, options.uploadHosts)
  const reportedHosts = new Set<string>()
  const reportHost = (host: string) => {
    if (reportedHosts.has(host)) return
    reportedHosts.add(host)
    options.onUploadHost?.(host)
  }
  let isClosed = false
  /** A request that `close` aborted is cancelled, not a network failure. */
  const cancelIfClosed = <T>(outcome: Outcome<T>): Outcome<T> =>
    isClosed && !outcome.ok ? failed({ kind: 'cancelled' }) : outcome
  const sendRequest = <T>(request: ControlRequest<T>) => controlRequest(request, context).then(cancelIfClosed)

  const listSessions: ServiceClient['listSessions'] = async (filter, signal) => {
    const path = `/v1/sessions${queryOf(filter)}`
    const outcome = await sendRequest({
      method: 'GET',
      path,
      answer: listAnswer,
      maxAnswerBytes: MAX_LIST_BYTES,
      signal,
    })
    if (!outcome.ok) return isForbidden(outcome) ? refusalOf('list-refused', outcome) : outcome
    const { requestId, value } = outcome.value
    const { sessions, unreadable, unreadableSha256, nextCursor, isCutOff } = value
    if (unreadable > 0) options.log.warn('some listed sessions could not be read', { unreadable, requestId })
    if (nextCursor !== null && nextCursor === filter.cursor) {
      const detail = 'the list leads back to the same page'
      return failed({ kind: 'unreadable-answer', detail, requestId })
    }
    return done({ value: { sessions, nextCursor, isCutOff, unreadableSha256 }, requestId })
  }

  return {
    createSession: (body, idempotencyKey, signal) =>
      sendRequest({
        method: 'POST',
        path: '/v1/sessions',
        answer: createdAnswer,
        maxAnswerBytes: MAX_UPLOAD_ANSWER_BYTES,
        body,
        idempotencyKey,
        signal,
      }),

    retrieveSession: async (id, signal) => {
      const outcome = await sendRequest({
        method: 'GET',
        path: sessionPath(id),
        answer: sessionAnswer,
        maxAnswerBytes: MAX_UPLOAD_ANSWER_BYTES,
        signal,
      })
      // Every key may read (§5.2), so a 403 means that the session belongs to a different organisation (§5.5).
      return isForbidden(outcome) ? refusalOf('other-organisation', outcome) : requireSession(id, outcome)
    },

    completeSession: async (id, body, idempotencyKey, signal) => {
      const path = `${sessionPath(id)}/complete`
      const timeoutFactor = COMPLETE_TIMEOUT_FACTOR
      const answer = sessionAnswer
      return requireSession(
        id,
        await sendRequest({ method: 'POST', path, answer, body, idempotencyKey, timeoutFactor, signal }),
      )
    },

    listSessions,

    deleteSession: async (id, signal) =>
      requireSession(
        id,
        await sendRequest({ method: 'DELETE', path: sessionPath(id), answer: deletedAnswer, signal }),
      ),

    createWebhookEndpoint: (url, events, idempotencyKey, signal) => {
      const body = { url, events }
      const path = '/v1/webhook_endpoints'
      return sendRequest({ method: 'POST', path, answer: webhookAnswer, body, idempotencyKey, signal })
    },

    testKey: async (signal) => {
      const list = await listSessions({ limit: 1 }, signal)
      if (!list.ok && list.failure.kind !== 'list-refused') return list
      // This creates nothing, because the required fields are missing (§4.1). A read-only key gets 403 instead (§5.5).
      const creation = await sendRequest({
        method: 'POST',
        path: '/v1/sessions',
        answer: z.unknown(),
        body: {},
        signal,
      })
      if (creation.ok) {
        const detail = 'the service accepted an empty session'
        return failed({ kind: 'unreadable-answer', detail, requestId: creation.value.requestId })
      }
      const { failure } = creation
      if (failure.kind === 'rejected') return done('write')
      if (failure.kind === 'auth' && failure.reason === 'not-permitted') return done('read')
      return creation
    },

    sendPart: (part) =>
      sendPart(part, {
        ...connection,
        checksumHeader: options.checksumHeader,
        findRefusal,
        reportHost,
        idleMs,
        scrub,
        nowMs: serviceClock.nowMs,
        monotonicMs: options.clock.monotonicMs,
      }).then(cancelIfClosed),

    usesTestKey: isTestKey(options.apiKey),
    nowMs: serviceClock.nowMs,
    clockOffsetMs: serviceClock.offsetMs,

    reconnect: () => {
      const oldConnection = connection
      connection = connect()
      serviceClock.forgetMonotonic()
      oldConnection.dispatcher.destroy().then(undefined, () => {})
    },

    close: async () => {
      isClosed = true
      context.rateLimit.end()
      await connection.dispatcher.destroy()
    },
  }
}
