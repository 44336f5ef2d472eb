import type { SandboxClock } from './clock.ts'
import type { Reach } from './events/reach.ts'
import type { FaultEngine } from './fault-engine.ts'
import type { IdMaker, RandomBytes } from './ids.ts'
import type { RequestStats } from './request-stats.ts'
import type { PartFiles } from './storage/part-files.ts'
import type { UrlSigner } from './storage/signed-url.ts'
import type { Store } from './store/store.ts'

export type Limits = {
  readonly minPartBytes: number
  readonly urlLifetimeS: number
  readonly processingDelayMs: number
  readonly requestsPerMinute: number
  /** How long a client may take over a request head or a JSON body, and how long a part may stand still. */
  readonly clientTimeoutMs: number
  /**
   * S3's convention for single uploads. Off by default: MD5 is three times slower than SHA-256 and would
   * halve the rate of uploads, and the contract only wants an ETag.
   */
  readonly md5Etags: boolean
}

/** One line per request, for people; never a key or a signed query. */
export type RequestLog = (line: string) => void

/** Everything the two servers share. Made once in server.ts; no part of the sandbox has state of its own. */
export type SandboxContext = {
  readonly store: Store
  readonly files: PartFiles
  readonly clock: SandboxClock
  readonly makeId: IdMaker
  readonly random: RandomBytes
  readonly limits: Limits
  readonly signer: UrlSigner
  readonly faults: FaultEngine
  readonly stats: RequestStats
  readonly log: RequestLog
  readonly webhookTargets: Reach
  /** Sessions whose completion is being verified now; they take no parts meanwhile. */
  readonly completing: Set<string>
  /** Tells the processor that a session was completed. */
  readonly wakeProcessor: () => void
  /** How many webhook deliveries are on their way now. */
  readonly deliveriesInFlight: () => number
}
