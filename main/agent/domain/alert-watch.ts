import { conditionWithCode, probeOf } from '../../../shared/status/conditions.ts'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import type { Status } from '../../../shared/status/status.ts'
import type { Need } from './attention.ts'
import { isLeftOut } from './folder-problems.ts'

/**
 * Hard case: Sluice restarts while a reported problem is open.
 * After the restart, Sluice must check the problem again before it reports that the problem has ended.
 */

/** Problems that begin together are reported in one message. */
const REPORT_BEGIN_DELAY_MS = 3_000
/**
 * A problem must be absent this long before Sluice reports its end. After a start, this also leaves time for the first
 * checks.
 */
const REPORT_END_DELAY_MS = 20_000
/** Problems that come and go must not flood the receiver of the alerts. */
const MAX_MESSAGES_PER_HOUR = 6
const HOUR_MS = 60 * 60_000

export type AlertChange = { readonly newNeeds: readonly Need[]; readonly endedSubjects: readonly string[] }

/**
 * Whether Sluice detects the condition on this PC. All other conditions end only with an answer of the service or the
 * storage.
 */
const isDetectedLocally = (code: string): boolean => {
  const name = conditionWithCode(code)
  return name !== null && ['check', 'none'].includes(probeOf(name, code))
}

/**
 * Whether Sluice has checked this need since the start, and still checks it. If not, a reported need stays open.
 * `subject` identifies the need: "station key-refused", "silence PATH".
 */
export const isChecked = (
  subject: string,
  { station, folders, driveSpace, takesToCheck }: Status,
): boolean => {
  const [about, code = ''] = subject.split(' ', 2)
  // Undefined if the folder was removed from the settings.
  const folderState = () => folders.find(({ path }) => subject.endsWith(` ${path}`))?.state
  switch (about) {
    // Before the first answer after a start, the service may still refuse the key, for example. It may also do so while
    // a temporary problem, such as a missing network, stops the station.
    case 'station':
      return (
        (station.problem === null || problemNeedsAttention(station.problem)) &&
        (station.serviceReachable !== null || isDetectedLocally(code))
      )
    // A drive whose free space is unknown may still be low. If the free space is known for every folder, but not for
    // this drive, no folder is on this drive any more.
    case 'drive': {
      const known = driveSpace.filter(({ space }) => space !== null)
      return (
        known.some(({ name }) => subject === `drive ${name}`) ||
        folders.every(({ path }) => known.some((drive) => drive.folders.includes(path)))
      )
    }
    case 'folder': {
      const state = folderState()
      return state !== 'scanning' && (!isLeftOut(code) || state === undefined || state === 'watching')
    }
    // Silence is judged only for a watched folder, and not during a pause.
    case 'silence': {
      const state = folderState()
      return state === undefined || (state === 'watching' && !station.paused)
    }
    // The status lists only the newest recordings to check.
    case 'take':
      return takesToCheck.count <= takesToCheck.newest.length
    default:
      return true
  }
}

/** Compares what needs attention now with what was reported, and decides when to report. Times are monotonic. */
export class AlertWatch {
  readonly #presentSinceMs = new Map<string, number>()
  readonly #absentSinceMs = new Map<string, number>()
  #sentAtMs: readonly number[] = []

  /**
   * Null if there is nothing to report now, or if the limit per hour is reached. Call `noteReported` after storing the
   * alert.
   */
  check(
    needs: readonly Need[],
    reportedSubjects: readonly string[],
    status: Status,
    nowMs: number,
  ): AlertChange | null {
    const present = new Set(needs.map(({ subject }) => subject))
    const elapsedMs = (since: Map<string, number>, subject: string) => nowMs - (since.get(subject) ?? nowMs)
    for (const subject of present)
      this.#presentSinceMs.set(subject, this.#presentSinceMs.get(subject) ?? nowMs)
    for (const subject of this.#presentSinceMs.keys())
      if (!present.has(subject)) this.#presentSinceMs.delete(subject)
    for (const subject of reportedSubjects)
      if (present.has(subject) || !isChecked(subject, status)) this.#absentSinceMs.delete(subject)
      else this.#absentSinceMs.set(subject, this.#absentSinceMs.get(subject) ?? nowMs)
    const newNeeds = needs.filter(({ subject }) => !reportedSubjects.includes(subject))
    const endedSubjects = reportedSubjects.filter(
      (subject) => elapsedMs(this.#absentSinceMs, subject) >= REPORT_END_DELAY_MS,
    )
    const isDue = newNeeds.some(
      ({ subject }) => elapsedMs(this.#presentSinceMs, subject) >= REPORT_BEGIN_DELAY_MS,
    )
    if ((!isDue && endedSubjects.length === 0) || !this.#maySend(nowMs)) return null
    return { newNeeds: isDue ? newNeeds : [], endedSubjects }
  }

  /** Counts the alert towards the limit. Call this only after storing the alert, which fails if the disk is full. */
  noteReported({ endedSubjects }: AlertChange, nowMs: number): void {
    this.#sentAtMs = [...this.#sentAtMs, nowMs]
    for (const subject of endedSubjects) this.#absentSinceMs.delete(subject)
  }

  #maySend(nowMs: number): boolean {
    this.#sentAtMs = this.#sentAtMs.filter((atMs) => nowMs - atMs < HOUR_MS)
    return this.#sentAtMs.length < MAX_MESSAGES_PER_HOUR
  }
}
