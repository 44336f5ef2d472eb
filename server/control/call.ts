import type { Outcome } from '../answer.ts'
import type { ServiceContext } from '../context.ts'
import type { KeyRow } from '../store/keys.ts'
import type { Steps } from '../store/steps.ts'

/** One authenticated and parsed request, as a handler gets it. */
export type Call = {
  readonly context: ServiceContext
  readonly key: KeyRow
  readonly requestId: string
  /** The `{id}` of the path; empty if the route has none. */
  readonly id: string
  readonly query: URLSearchParams
  /** Parsed JSON; undefined if the route takes no body. */
  readonly body: unknown
  /** Now, or earlier if the sandbox simulates expired URLs. */
  readonly urlsSignedAtMs: number
  /**
   * Does the work of a POST in one transaction. If the request has an Idempotency-Key (§8), the same transaction stores
   * the answer. Work that returns a refusal must change nothing.
   */
  commit(work: () => Steps<Outcome>): Promise<Outcome>
}

export type Handler = (call: Call) => Promise<Outcome> | Outcome
