import type { ServiceClock } from '../clock.ts'
import type { RequestLog } from '../context.ts'
import { DueTimer } from '../due-timer.ts'
import type { Bytes } from '../storage/bytes.ts'
import { parts } from '../store/parts.ts'
import { type Findings, type SessionRow, sessions } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import { concludeFindings, type Inspection, nothingFound } from './findings.ts'
import { inspect } from './inspect.ts'
import { openRecording } from './recording.ts'

/** How many sessions one query loads. The processor loads more after these. */
const batch = 20

export type ProcessorParts = {
  readonly store: Store
  readonly bytes: Bytes
  readonly clock: ServiceClock
  readonly log: RequestLog
  /** Runs inside the transaction that ends processing, so that no event is lost or sent by mistake. */
  readonly onFinished: (session: SessionRow) => Steps<void>
  readonly afterFinished: (status: Findings['status']) => void
}

/**
 * Moves sessions from `processing` to `processed` or `failed`, one at a time on each instance. Due times are in the store, so
 * a restart continues. A claim keeps two instances from the same session. If its instance dies, a different one takes over.
 */
export class Processor {
  readonly #parts: ProcessorParts
  readonly #timer: DueTimer
  readonly #abort = new AbortController()

  constructor(parts: ProcessorParts) {
    this.#parts = parts
    this.#timer = new DueTimer(parts.clock, () => this.#runDue(), parts.store.pollEveryMs)
  }

  wake(): void {
    this.#timer.wake()
  }

  /** A session under inspection stays `processing`, and the next start inspects it again. */
  stop(): Promise<void> {
    this.#abort.abort()
    return this.#timer.stop()
  }

  async #runDue(): Promise<number | null> {
    const { store, clock } = this.#parts
    const now = clock.now()
    let claimed = 0
    for (const session of await store.read(sessions.dueForProcessing(now, batch))) {
      if (this.#timer.stopped) return null
      if (await this.#processIfFree(session)) claimed += 1
    }
    return claimed > 0 ? clock.now() : store.read(sessions.nextProcessingAfter(now))
  }

  /** False if a different instance has the session. */
  async #processIfFree({ id }: SessionRow): Promise<boolean> {
    const { store } = this.#parts
    const release = await store.claims.take(`process ${id}`)
    if (release === null) return false
    try {
      // A different instance may have finished it since the query.
      const session = await store.read(sessions.get(id))
      if (session?.status === 'processing') await this.#process(session)
      return true
    } finally {
      await release()
    }
  }

  async #process(session: SessionRow): Promise<void> {
    const { store, clock, log, onFinished, afterFinished } = this.#parts
    const inspection = await this.#inspect(session)
    if (this.#timer.stopped) return
    const findings = concludeFindings(inspection, session.created_at)
    await store.write(function* () {
      // False: the session was deleted during the inspection.
      if (!(yield* sessions.finish(session.id, clock.now(), findings))) return
      yield* onFinished((yield* sessions.get(session.id))!)
    })
    log(`${session.id} ${findings.status}`)
    afterFinished(findings.status)
  }

  async #inspect(session: SessionRow): Promise<Inspection> {
    const { store, bytes, log } = this.#parts
    const stored = await store.read(parts.ofSession(session.id))
    const recording = openRecording(bytes, stored, this.#abort.signal)
    try {
      return await inspect(session.filename, recording, this.#abort.signal)
    } catch (error) {
      log(`${session.id} could not be read: ${error instanceof Error ? error.stack : String(error)}`)
      return nothingFound({
        code: 'file_unreadable',
        severity: 'error',
        detail: 'The file could not be read.',
      })
    } finally {
      await recording.close()
    }
  }
}
