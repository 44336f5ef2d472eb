import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServiceClock } from './clock.ts'
import type { Reach } from './events/reach.ts'
import type { ServiceHooks } from './hooks.ts'
import type { Tls } from './http-server.ts'
import type { IdMaker, RandomBytes } from './ids.ts'
import type { Metrics } from './metrics.ts'
import type { PartPlan } from './part-plan.ts'
import type { ByteStore } from './storage/byte-store.ts'
import type { DirectParts } from './storage/direct-parts.ts'
import type { UrlSigner } from './storage/signed-url.ts'
import type { Store } from './store/store.ts'

export type Limits = {
  readonly minPartBytes: number
  readonly urlLifetimeS: number
  readonly processingDelayMs: number
  readonly requestsPerMinute: number
  /** Timeout for a request head or a JSON body, and for a part without progress. */
  readonly clientTimeoutMs: number
  /**
   * The server hashes recordings of at least this size while they arrive, and smaller ones at completion.
   */
  readonly minPrefixHashBytes: number
  /**
   * True: ETags are MD5 digests, as in S3 for single uploads. The contract accepts any ETag. MD5 would halve the upload
   * rate, so this is off by default.
   */
  readonly md5Etags: boolean
}

/** A line for people, and fields for programs. Neither contains the query of a signed URL. */
export type RequestLog = (line: string, fields?: LogFields) => void

export type LogFields = Readonly<Record<string, string | number>>

/**
 * The state that the control server and the storage server share. Modules have no state of their own.
 */
export type ServiceContext = {
  readonly store: Store
  readonly bytes: ByteStore
  /** Null: all parts pass through the server. */
  readonly directParts: DirectParts | null
  readonly clock: ServiceClock
  readonly makeId: IdMaker
  readonly random: RandomBytes
  readonly limits: Limits
  readonly signer: UrlSigner
  readonly hooks: ServiceHooks
  readonly log: RequestLog
  readonly webhookTargets: Reach
  readonly metrics: Metrics
  readonly tls: Tls | null
  /** Answers requests outside the contract, such as health checks. Returns false for all other requests. */
  readonly answerProbe: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Returns the reason for refusing a caller, or null. */
  readonly refuseCaller: (request: IncomingMessage) => string | null
  /** The address of the client, for the log. */
  readonly clientOf: (request: IncomingMessage) => string
  /** Hashes the stored parts of a session, up to the first missing part. */
  readonly hashPrefix: (session: PartPlan & { readonly id: string }) => void
  /** Wakes the processor after a session was completed. */
  readonly wakeProcessor: () => void
}
