import type { ServiceClock } from './clock.ts'
import type { RequestLog } from './context.ts'
import { idempotencyWindowMs } from './control/idempotency.ts'
import { DueTimer } from './due-timer.ts'
import { removeSession } from './remove-session.ts'
import type { Bytes } from './storage/bytes.ts'
import { idempotency } from './store/idempotency.ts'
import { parts } from './store/parts.ts'
import { sessions } from './store/sessions.ts'
import type { Store } from './store/store.ts'

const everyMs = 60 * 60 * 1000
const batch = 100

export type CleanUpRules = {
  /** The service deletes uploads that no client completes in this time. Null: never. */
  readonly abandonedAfterMs: number | null
  /** The service deletes bytes without a part row at this age. Null: never. */
  readonly leftoversAfterMs: number | null
}

export type CleanUpParts = {
  readonly store: Store
  readonly bytes: Bytes
  readonly clock: ServiceClock
  readonly log: RequestLog
  readonly rules: CleanUpRules
}

/** Younger bytes may belong to a running upload. An upload takes hours at most, and its part row follows at once. */
export const leftoversAfterMs = 24 * 60 * 60 * 1000

/** Removes abandoned uploads and leftover bytes every hour. Only one of several instances does it. */
export class CleanUp {
  readonly #parts: CleanUpParts
  readonly #timer: DueTimer
  #nextAt = 0

  constructor(parts: CleanUpParts) {
    this.#parts = parts
    this.#timer = new DueTimer(parts.clock, () => this.#run())
  }

  wake(): void {
    this.#timer.wake()
  }

  stop(): Promise<void> {
    return this.#timer.stop()
  }

  async #run(): Promise<number> {
    const { store, clock } = this.#parts
    const now = clock.now()
    // If the clock was set back, run now: waiting for `#nextAt` could take too long.
    if (now < this.#nextAt && this.#nextAt - now <= everyMs) return this.#nextAt
    this.#nextAt = now + everyMs
    const release = await store.claims.take('clean-up')
    if (release === null) return this.#nextAt
    try {
      await store.write(() => idempotency.expire(now - idempotencyWindowMs))
      await cleanUp(this.#parts, { dryRun: false, stopped: () => this.#timer.stopped })
    } finally {
      await release()
    }
    return this.#nextAt
  }
}

export type CleanUpReport = { readonly abandoned: readonly string[]; readonly leftovers: readonly string[] }

/** Returns the deleted items. With `dryRun` it only lists them. */
export async function cleanUp(
  { store, bytes, clock, log, rules }: CleanUpParts,
  { dryRun, stopped = () => false }: { readonly dryRun: boolean; readonly stopped?: () => boolean },
): Promise<CleanUpReport> {
  const report = { abandoned: [] as string[], leftovers: [] as string[] }
  if (rules.abandonedAfterMs !== null) {
    const found = await store.read(sessions.abandoned(clock.now() - rules.abandonedAfterMs, batch))
    for (const { id } of found) {
      if (stopped()) return report
      if (!dryRun && !(await removeSession({ store, bytes }, id, 'uploading'))) continue
      report.abandoned.push(id)
      if (!dryRun) log(`deleted ${id}: no client completed it`)
    }
  }
  if (rules.leftoversAfterMs === null) return report
  // Tests cannot move the storage's clock, which sets `storedAtMs`. So compare it with the real time.
  const oldestMs = Date.now() - rules.leftoversAfterMs
  for await (const { name, storedAtMs } of bytes.names()) {
    if (stopped()) return report
    if (storedAtMs >= oldestMs || (await isInUse(store, name))) continue
    report.leftovers.push(name)
    if (!dryRun) await bytes.remove(name)
  }
  return report
}

/** The name of the bytes starts with their session and part number, which identify the row. */
async function isInUse(store: Store, name: string): Promise<boolean> {
  const [, sessionId, number] = /^(ses_[0-9a-z]+)-(\d+)-[0-9a-f]+$/.exec(name) ?? []
  // Keep bytes with a name that is not ours.
  if (sessionId === undefined) return true
  return (await store.read(parts.get(sessionId, Number(number))))?.file === name
}
