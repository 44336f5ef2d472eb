import type { ServiceClock } from '../clock.ts'
import type { RequestLog } from '../context.ts'
import { DueTimer } from '../due-timer.ts'
import { type ByteStore, MissingBytesError } from '../storage/byte-store.ts'
import { parts } from '../store/parts.ts'
import { type Findings, type SessionRow, sessions } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import { concludeFindings, emptyInspection, type Inspection } from './findings.ts'
import { type InspectFile, InspectionKilledError, inspect } from './inspect.ts'
import { openRecording } from './recording.ts'

/** How many sessions one query loads. The processor loads more after these. */
const batchSize = 20
/** How long a session waits whose inspection ended without a result, for example because the storage was down. */
export const inspectionRetryMs = 10_000
/** A recording whose inspection ended its process this often is not inspected again. */
const maxInspections = 2

export type ProcessorDependencies = {
  readonly store: Store
  readonly bytes: ByteStore
  readonly clock: ServiceClock
  readonly log: RequestLog
  readonly inspectFile: InspectFile
  /** Runs inside the transaction that ends processing, so that no event is lost or sent by mistake. */
  readonly onFinished: (session: SessionRow) => Steps<void>
  readonly afterFinished: (status: Findings['status']) => void
}

type OpenAttempt = {
  readonly number: number
  /** The result that is not stored yet. Null before the inspection has ended. */
  inspection: Inspection | null
  hasFailed: boolean
}

/**
 * Moves sessions from `processing` to `processed` or `failed`, one at a time on each instance. Due times are in the store,
 * so a restart continues. A claim prevents two instances from processing the same session. If the instance with the claim
 * dies, a different instance takes over.
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

  /** A session under inspection stays `processing`, and the next start or a different instance inspects it again. */
  stop(): Promise<void> {
    this.#abort.abort()
    return this.#timer.stop()
  }

  async #runDue(): Promise<number | null> {
    const { store, clock } = this.#dependencies
    const now = clock.now()
    let claimedCount = 0
    const failures: unknown[] = []
    for (const session of await store.read(sessions.dueForProcessing(now, batchSize))) {
      if (this.#timer.isStopped) return null
      if (await this.#processIfFree(session, failures)) claimedCount += 1
    }
    // The timer tries again.
    if (failures.length > 0) throw failures[0]
    return claimedCount > 0 ? clock.now() : store.read(sessions.nextProcessingAfter(now))
  }

  /** False if a different instance has the session. A session that cannot be finished does not stop the others. */
  async #processIfFree({ id }: SessionRow, failures: unknown[]): Promise<boolean> {
    const { store } = this.#dependencies
    const release = await store.claims.take(`process ${id}`)
    if (release === null) return false
    try {
      // A different instance may have finished it since the query.
      const session = await store.read(sessions.get(id))
      if (session?.status === 'processing') await this.#process(session)
      this.#openAttempts.delete(id)
      return true
    } catch (error) {
      this.#logFirstFailure(id, error)
      failures.push(error)
      return false
    } finally {
      await release()
    }
  }

  async #process(session: SessionRow): Promise<void> {
    const { store, clock, log, onFinished, afterFinished } = this.#dependencies
    const { id } = session
    // Committed before the inspection: an inspection that ends this process leaves the attempt behind.
    const attempt = this.#openAttempts.get(id) ?? (await this.#beginAttempt(id))
    if (attempt === null) return
    const inspection =
      attempt.inspection ??
      (attempt.number > maxInspections ? inspectionGivenUp : await this.#inspect(session))
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
    await store.write(function* () {
      // False: the session was deleted during the inspection.
      if (!(yield* sessions.finish(id, clock.now(), findings))) return
      yield* onFinished((yield* sessions.get(id))!)
    })
    log(`${id} ${findings.status}`)
    afterFinished(findings.status)
  }

  async #beginAttempt(id: string): Promise<OpenAttempt | null> {
    const number = await this.#dependencies.store.write(() => sessions.beginInspection(id))
    if (number === undefined) return null
    const attempt = { number, inspection: null, hasFailed: false }
    this.#openAttempts.set(id, attempt)
    return attempt
  }

  #logFirstFailure(id: string, error: unknown): void {
    const attempt = this.#openAttempts.get(id)
    if (attempt === undefined || attempt.hasFailed) return
    attempt.hasFailed = true
    this.#dependencies.log(
      `${id} could not be finished, and is tried again: ${error instanceof Error ? error.message : String(error)}`,
    )
  }

  /** An outage of the storage or the system says nothing about the recording; missing bytes do. */
  async #inspect(session: SessionRow): Promise<Inspection | 'not-inspected' | 'killed'> {
    const { store, bytes, log, inspectFile } = this.#dependencies
    const storedParts = await store.read(parts.ofSession(session.id))
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
  detail: `The process ended during ${maxInspections} inspections of this recording, so it was not inspected.`,
})
