import type { Outcome } from '../answer.ts'
import type { SandboxContext } from '../context.ts'
import type { KeyRow } from '../store/keys.ts'

/** One authenticated, parsed request on its way through a handler. */
export type Call = {
  readonly context: SandboxContext
  readonly key: KeyRow
  readonly requestId: string
  /** The path's `{id}`; empty where the route has none. */
  readonly id: string
  readonly query: URLSearchParams
  /** Parsed JSON; undefined where the route takes no body. */
  readonly body: unknown
  /** Now, unless a fault wants URLs that have expired already. */
  readonly urlsSignedAtMs: number
  /**
   * Does the work of a POST in one transaction, together with the record of its answer under the
   * request's Idempotency-Key (§8): after a crash either both are there or neither.
   */
  commit(work: () => Outcome): Promise<Outcome>
}

export type Handler = (call: Call) => Promise<Outcome> | Outcome
