import type { Pool } from 'pg'
import type { Queryable } from './run-steps.ts'

/**
 * The largest number of connections in the pool of each instance. Requests that create sessions in one organisation
 * wait for each other. Each keeps a connection meanwhile, so there must be enough for other requests.
 */
export const maxConnections = 20

/**
 * True if an upgrade changed the columns of a prepared query. PostgreSQL then always refuses this query on this
 * connection. The code `0A000` means any unsupported feature, so `routine` must match too. The message depends on the
 * language.
 */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as { readonly code?: string; readonly routine?: string }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/**
 * Runs a query again if its plan is stale. The pool closes a connection with a failed query, so each connection fails
 * at most once.
 */
export function rerunStalePlans(pool: Pool): Queryable {
  return {
    async query(query) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await pool.query(query)
        } catch (error) {
          if (!isStalePlan(error) || attempt > maxConnections) throw error
        }
      }
    },
  }
}
