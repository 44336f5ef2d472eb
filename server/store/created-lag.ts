import { setImmediate as nextTurn } from 'node:timers/promises'
import { orgs } from './orgs.ts'
import { all, type Steps, send } from './steps.ts'
import type { Store } from './store.ts'

/** If no session lags by more than this, all lists are fast. */
const maxNormalLagMs = 60_000
const batchSize = 1_000

/**
 * The newest `created_at` and the largest lag of the sessions up to `seq`. A session lags if an earlier session
 * (smaller `seq`) has a newer `created_at`.
 */
type Measured = { readonly seq: number; readonly newestMs: number; readonly lagMs: number }

const nothingMeasured: Measured = { seq: 0, newestMs: 0, lagMs: 0 }

/**
 * Measures a large `max_created_lag_ms` again, because triggers only increase it. Otherwise, after a server's clock
 * was wrong, lists of a time range would stay slow for ever. Reads in batches: with SQLite, one query over a million
 * sessions would block all requests.
 */
export async function measureCreatedLags(store: Store, isStopped: () => boolean): Promise<void> {
  for (const { id } of await store.read(orgsWithLag())) {
    let measured = nothingMeasured
    for (let next: Measured | null = measured; next !== null; ) {
      if (isStopped()) return
      measured = next
      next = await store.read(measureBatch(id, measured))
      await nextTurn()
    }
    const before = measured
    await store.write(() => storeLag(id, before))
  }
}

function orgsWithLag(): Steps<{ readonly id: string }[]> {
  return all('SELECT id FROM orgs WHERE max_created_lag_ms > @maxNormalLagMs', { maxNormalLagMs })
}

/** Null if there are no later sessions. */
function* measureBatch(orgId: string, before: Measured): Steps<Measured | null> {
  const rows = yield* all<{ readonly seq: number; readonly created_at: number }>(
    'SELECT seq, created_at FROM sessions WHERE org_id = @orgId AND seq > @seq ORDER BY seq LIMIT @batchSize',
    { orgId, seq: before.seq, batchSize },
  )
  if (rows.length === 0) return null
  let measured = before
  for (const { seq, created_at } of rows) {
    const newestMs = Math.max(measured.newestMs, created_at)
    measured = { seq, newestMs, lagMs: Math.max(measured.lagMs, newestMs - created_at) }
  }
  return measured
}

/** Measures the remaining sessions under a lock, so that no more are created meanwhile. */
function* storeLag(orgId: string, before: Measured): Steps<void> {
  yield* orgs.lock(orgId)
  let measured = before
  for (let next: Measured | null = measured; next !== null; ) {
    measured = next
    next = yield* measureBatch(orgId, measured)
  }
  const { newestMs, lagMs } = measured
  yield* send(
    'UPDATE orgs SET newest_created_at = @newestMs, max_created_lag_ms = @lagMs WHERE id = @orgId',
    {
      orgId,
      newestMs,
      lagMs,
    },
  )
}
