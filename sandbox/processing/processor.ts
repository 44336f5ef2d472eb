import type { SandboxClock } from '../clock.ts'
import type { RequestLog } from '../context.ts'
import { DueTimer } from '../due-timer.ts'
import type { PartFiles } from '../storage/part-files.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { concludeFindings, type Inspection, nothingFound } from './findings.ts'
import { inspect } from './inspect.ts'
import { openRecording } from './recording.ts'

export type ProcessorParts = {
  readonly store: Store
  readonly files: PartFiles
  readonly clock: SandboxClock
  readonly log: RequestLog
  /** Runs inside the transaction that ends processing, so that no event is lost or sent by mistake. */
  readonly onFinished: (session: SessionRow) => void
  readonly afterFinished: () => void
}

/**
 * Moves sessions from `processing` to `processed` or `failed`, one at a time. Due times are in the store, so a restart continues.
 */
export class Processor {
  readonly #parts: ProcessorParts
  readonly #timer: DueTimer
  readonly #abort = new AbortController()

  constructor(parts: ProcessorParts) {
    this.#parts = parts
    this.#timer = new DueTimer(parts.clock, () => this.#runDue())
  }

  wake(): void {
    this.#timer.wake()
  }

  /** A session under inspection stays `processing`. The next start inspects it again. */
  stop(): Promise<void> {
    this.#abort.abort()
    return this.#timer.stop()
  }

  async #runDue(): Promise<number | null> {
    const { store, clock } = this.#parts
    const waiting = store.sessions.inProcessing()
    const due = waiting.filter((session) => (session.processing_due_at ?? 0) <= clock.now())
    for (const session of due) {
      if (this.#timer.stopped) return null
      await this.#process(session)
    }
    if (due.length > 0) return clock.now()
    const times = waiting.map((session) => session.processing_due_at ?? 0)
    return times.length === 0 ? null : Math.min(...times)
  }

  async #process(session: SessionRow): Promise<void> {
    const { store, clock, log, onFinished, afterFinished } = this.#parts
    const inspection = await this.#inspect(session)
    if (this.#timer.stopped) return
    const findings = concludeFindings(inspection, session.created_at)
    await store.write(() => {
      // False: the session was deleted during the inspection.
      if (!store.sessions.finish(session.id, clock.now(), findings)) return
      onFinished(store.sessions.get(session.id)!)
    })
    log(`${session.id} ${findings.status}`)
    afterFinished()
  }

  async #inspect(session: SessionRow): Promise<Inspection> {
    const { store, files, log } = this.#parts
    const recording = openRecording(files, store.parts.ofSession(session.id), this.#abort.signal)
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
