import type { ServiceClock } from './clock.ts'
import type { RequestLog } from './context.ts'
import { idempotencyWindowMs } from './control/idempotency.ts'
import { DueTimer } from './due-timer.ts'
import { removeSession } from './remove-session.ts'
import type { ByteStore } from './storage/byte-store.ts'
import { parseDirectName } from './storage/s3-direct-parts.ts'
import { audit } from './store/audit.ts'
import { measureCreatedLags } from './store/created-lag.ts'
import { idempotency } from './store/idempotency.ts'
import { meta } from './store/meta.ts'
import { parts } from './store/parts.ts'
import { type SessionRow, sessions } from './store/sessions.ts'
import type { Store } from './store/store.ts'

const intervalMs = 60 * 60 * 1000
const batchSize = 100

export type CleanUpRules = {
  /** The service deletes uploads that no client completes within this time. Null: never. */
  readonly abandonedAfterMs: number | null
  /** The service deletes entries of the audit log after this time. Null: never. */
  readonly auditRetentionMs: number | null
  /**
   * The service deletes unused bytes that are older than this. It keeps bytes from before the first use of the
   * database: see `meta.firstUsedAtMs`. Null: never.
   */
  readonly leftoversAfterMs: number | null
}

export type CleanUpDependencies = {
  readonly store: Store
  readonly bytes: ByteStore
  readonly clock: ServiceClock
  readonly log: RequestLog
  readonly rules: CleanUpRules
}

/** Bytes that are younger than this may belong to an upload in progress. An upload takes hours at most. */
export const leftoversAfterMs = 24 * 60 * 60 * 1000

/**
 * Every hour, removes abandoned uploads, leftover bytes, expired idempotency keys and expired audit entries, and calls
 * `measureCreatedLags`. Only one instance at a time cleans up.
 */
export class CleanUp {
  readonly #dependencies: CleanUpDependencies
  readonly #timer: DueTimer
  #nextAt = 0

  constructor(dependencies: CleanUpDependencies) {
    this.#dependencies = dependencies
    this.#timer = new DueTimer(dependencies.clock, () => this.#run())
  }

  wake(): void {
    this.#timer.wake()
  }

  stop(): Promise<void> {
    return this.#timer.stop()
  }

  async #run(): Promise<number> {
    const { clock, log } = this.#dependencies
    const now = clock.now()
    // If the clock was set back, run now, because `#nextAt` may be far away.
    if (now < this.#nextAt && this.#nextAt - now <= intervalMs) return this.#nextAt
    this.#nextAt = now + intervalMs
    await this.#cleanUpIfFree(now).catch((error: unknown) =>
      log(`the clean-up failed, and runs again in an hour: ${String(error)}`),
    )
    return this.#nextAt
  }

  async #cleanUpIfFree(now: number): Promise<void> {
    const { store, rules } = this.#dependencies
    const release = await store.claims.take('clean-up')
    if (release === null) return
    try {
      await store.write(() => idempotency.expire(now - idempotencyWindowMs))
      const { auditRetentionMs } = rules
      if (auditRetentionMs !== null) await store.write(() => audit.expire(now - auditRetentionMs))
      const isStopped = () => this.#timer.isStopped
      await measureCreatedLags(store, isStopped)
      await cleanUp(this.#dependencies, { dryRun: false, isStopped })
    } finally {
      await release()
    }
  }
}

export type CleanUpReport = { readonly abandoned: readonly string[]; readonly leftovers: readonly string[] }

/**
 * Deletes abandoned uploads and leftover bytes. Returns the session IDs of the uploads and the names of the bytes. With
 * `dryRun`, deletes nothing.
 */
export async function cleanUp(
  { store, bytes, clock, log, rules }: CleanUpDependencies,
  { dryRun, isStopped = () => false }: { readonly dryRun: boolean; readonly isStopped?: () => boolean },
): Promise<CleanUpReport> {
  const report = { abandoned: [] as string[], leftovers: [] as string[] }
  if (rules.abandonedAfterMs !== null) {
    const record = ({ id, org_id }: SessionRow) =>
      audit.add({
        at: clock.now(),
        org_id,
        actor: 'clean-up',
        action: 'session.abandon',
        object: id,
        request_id: null,
      })
    for await (const { id } of abandonedSessions(store, clock.now() - rules.abandonedAfterMs)) {
      if (isStopped()) return report
      if (!dryRun && !(await removeSession({ store, bytes }, id, record, 'uploading'))) continue
      report.abandoned.push(id)
      if (!dryRun) log(`deleted ${id}: no client completed it`)
    }
  }
  if (rules.leftoversAfterMs === null) return report
  // The storage's clock sets `storedAtMs`, and tests cannot move that clock. So compare with the real time.
  const cutoffMs = Date.now() - rules.leftoversAfterMs
  const firstUsedAtMs = await store.write(() => meta.firstUsedAtMs(Date.now()))
  for await (const { name, storedAtMs } of bytes.names()) {
    if (isStopped()) return report
    if (storedAtMs < firstUsedAtMs || storedAtMs >= cutoffMs || (await isInUse(store, name))) continue
    report.leftovers.push(name)
    if (!dryRun) await bytes.remove(name)
  }
  return report
}

/** Reads in batches, because a faulty client may leave very many uploads behind. */
async function* abandonedSessions(store: Store, createdBefore: number): AsyncGenerator<SessionRow> {
  for (let afterSeq = 0; ; ) {
    const batch = await store.read(sessions.abandoned(createdBefore, afterSeq, batchSize))
    yield* batch
    if (batch.length < batchSize) return
    afterSeq = batch.at(-1)!.seq
  }
}

/**
 * True if a part or an unfinished direct upload uses these bytes. Also true if the name is not in this server's
 * format.
 */
async function isInUse(store: Store, name: string): Promise<boolean> {
  const directPart = parseDirectName(name)
  if (directPart !== null)
    return (await store.read(sessions.get(directPart.sessionId)))?.status === 'uploading'
  const [, sessionId, number] = /^(ses_[0-9a-z]+)-(\d+)-[0-9a-f]+$/.exec(name) ?? []
  if (sessionId === undefined) return true
  return (await store.read(parts.get(sessionId, Number(number))))?.file === name
}
