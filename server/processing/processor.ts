import type { ServiceClock } from '../clock.ts'
import type { RequestLog } from '../context.ts'
import { DueTimer } from '../due-timer.ts'
import { type ByteStore, MissingBytesError } from '../storage/byte-store.ts'
import { type PartRow, parts } from '../store/parts.ts'
import { type Findings, type SessionRow, sessions } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import { concludeFindings, emptyInspection, type Inspection } from './findings.ts'
import { type InspectFile, InspectionKilledError, inspect } from './inspect.ts'
import { openRecording } from './recording.ts'

/** How many sessions one query loads. */
const batchSize = 20
/** How long a session waits if its inspection ended without a result, for example because the storage was down. */
export const inspectionRetryMs = 10_000
/** The server gives up on a recording after this many of its inspections have ended in a crash. */
const maxInspections = 2

export type ProcessorDependencies = {
  readonly store: Store
  readonly bytes: ByteStore
  readonly clock: ServiceClock
  readonly log: RequestLog
  readonly inspectFile: InspectFile
  /**
   * Queues the event of the session in the transaction that finishes the session. Returns false if no endpoint gets
   * the event.
   */
  readonly onFinished: (session: SessionRow) => Steps<boolean>
  readonly afterFinished: (status: Findings['status'], hasEvent: boolean) => void
}

type OpenAttempt = {
  /** The row at the beginning of the attempt. */
  readonly session: SessionRow
  readonly parts: Promise<readonly PartRow[]>
  /** The result that is not stored yet. Null before the inspection has ended. */
  inspection: Inspection | null
  hasFailed: boolean
}

/**
 * How the sessions of one batch overlap. While the result of one session is being stored, the processor already counts
 * the attempt of the next session. But it begins the next inspection only after the result is stored. So if an
 * inspection crashes this process, no other session has lost an attempt.
 */
type Turn = {
  readonly earlierStored: Promise<void>
  readonly onInspected: () => void
  readonly failures: unknown[]
}

/**
 * Moves sessions from `processing` to `processed` or `failed`, with one inspection at a time on each instance. Due
 * times are in the store, so a restarted server continues. A claim prevents two instances from processing the same
 * session. If the instance with the claim dies, a different instance takes over.
 */
export class Processor {
  readonly #dependencies: ProcessorDependencies
  readonly #timer: DueTimer
  readonly #abort = new AbortController()
  /** The attempts without a stored result. If the database fails, the same attempt continues after the outage. */
  readonly #openAttempts = new Map<string, OpenAttempt>()

  constructor(dependencies: ProcessorDependencies) {
    this.#dependencies = dependencies
    this.#timer = new DueTimer(dependencies.clock, () => this.#runDue(), dependencies.store.pollIntervalMs)
  }

  wake(): void {
    this.#timer.wake()
  }

  /**
   * A session under inspection stays `processing`. After the next start, or on a different instance, it is inspected
   * again.
   */
  stop(): Promise<void> {
    this.#abort.abort()
    return this.#timer.stop()
  }

  async #runDue(): Promise<number | null> {
    const { store, clock } = this.#dependencies
    const now = clock.now()
    const failures: unknown[] = []
    let hasClaimed = false
    let stored: Promise<void> = Promise.resolve()
    for (const { id } of await store.read(sessions.dueForProcessing(now, batchSize))) {
      if (this.#timer.isStopped) break
      const earlierStored = stored
      await new Promise<void>((onInspected) => {
        stored = this.#processIfFree(id, { earlierStored, onInspected, failures }).then(async (isClaimed) => {
          hasClaimed ||= isClaimed
          onInspected()
          // If `#processIfFree` skips this session, it does not wait for the earlier ones, so wait here.
          await earlierStored
        })
      })
    }
    await stored
    if (this.#timer.isStopped) return null
    // After this error, the timer calls `#runDue` again.
    if (failures.length > 0) throw failures[0]
    return hasClaimed ? clock.now() : store.read(sessions.nextProcessingAfter(now))
  }

  /**
   * False if a different instance has the session. A failure also returns false, and does not stop the other sessions.
   */
  async #processIfFree(id: string, turn: Turn): Promise<boolean> {
    let release: (() => Promise<void>) | null = null
    try {
      release = await this.#dependencies.store.claims.take(`process ${id}`)
      if (release === null) return false
      // Count the attempt before the inspection, because the inspection may end this process.
      const attempt = this.#openAttempts.get(id) ?? (await this.#beginAttempt(id))
      // Null: since the query, a different instance has finished the session, or the session was deleted.
      if (attempt !== null) await this.#process(attempt, turn)
      this.#openAttempts.delete(id)
      return true
    } catch (error) {
      this.#logFirstFailure(id, error)
      turn.failures.push(error)
      return false
    } finally {
      await release?.()
    }
  }

  async #process(attempt: OpenAttempt, { earlierStored, onInspected }: Turn): Promise<void> {
    const { store, clock, log, onFinished, afterFinished } = this.#dependencies
    const { session } = attempt
    const { id } = session
    await earlierStored
    const inspection =
      attempt.inspection ??
      (session.inspection_attempts > maxInspections ? inspectionGivenUp : await this.#inspect(attempt))
    onInspected()
    if (this.#timer.isStopped || inspection === 'not-inspected') {
      const dueAt = clock.now() + (this.#timer.isStopped ? 0 : inspectionRetryMs)
      await store.write(() => sessions.postponeInspection(id, dueAt))
      return
    }
    if (inspection === 'killed') {
      // The next inspection counts as a new attempt, even if this write fails.
      this.#openAttempts.delete(id)
      await store.write(() => sessions.repeatInspection(id, clock.now() + inspectionRetryMs))
      return
    }
    attempt.inspection = inspection
    const findings = concludeFindings(inspection, session.created_at)
    const end = await store.write(function* () {
      const finishedSession = yield* sessions.finish(id, clock.now(), findings)
      return finishedSession === undefined ? 'deleted' : { hasEvent: yield* onFinished(finishedSession) }
    })
    if (end === 'deleted') return
    log(`${id} ${findings.status}`)
    afterFinished(findings.status, end.hasEvent)
  }

  async #beginAttempt(id: string): Promise<OpenAttempt | null> {
    const { store } = this.#dependencies
    // Start this query together with the next one, to save a round trip. If this query fails, `#inspect` repeats it.
    const storedParts = store.read(parts.ofSession(id))
    storedParts.catch(() => {})
    const session = await store.writeOne(sessions.beginInspection(id))
    if (session === undefined) return null
    const attempt = { session, parts: storedParts, inspection: null, hasFailed: false }
    this.#openAttempts.set(id, attempt)
    return attempt
  }

  #logFirstFailure(id: string, error: unknown): void {
    const attempt = this.#openAttempts.get(id)
    if (attempt === undefined || attempt.hasFailed) return
    attempt.hasFailed = true
    this.#dependencies.log(
      `${id} could not be finished, so the server tries again: ${error instanceof Error ? error.message : String(error)}`,
    )
  }

  /**
   * After a failure of the storage or the system, the processor inspects the recording again later. If bytes are
   * missing, the session becomes `failed`.
   */
  async #inspect({ session, ...attempt }: OpenAttempt): Promise<Inspection | 'not-inspected' | 'killed'> {
    const { store, bytes, log, inspectFile } = this.#dependencies
    const storedParts = await attempt.parts.catch(() => store.read(parts.ofSession(session.id)))
    const recording = openRecording(bytes, storedParts, this.#abort.signal)
    try {
      return await inspect(session.filename, recording, inspectFile, this.#abort.signal)
    } catch (error) {
      log(`${session.id} was not inspected: ${error instanceof Error ? error.stack : String(error)}`)
      if (error instanceof InspectionKilledError) return 'killed'
      if (!(error instanceof MissingBytesError)) return 'not-inspected'
      return emptyInspection({
        code: 'file_unreadable',
        severity: 'error',
        detail: 'The file could not be read.',
      })
    } finally {
      await recording.close()
    }
  }
}

/** The recording is complete and verified, so this is only a warning. */
const inspectionGivenUp = emptyInspection({
  code: 'inspection_incomplete',
  severity: 'warning',
  detail: `The process ended during ${maxInspections} inspections of this recording, so the server does not inspect it again.`,
})
