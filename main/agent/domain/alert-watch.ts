import { conditionWithCode, probeOf } from '../../../shared/status/conditions.ts'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import type { Status } from '../../../shared/status/status.ts'
import type { Need } from './attention.ts'
import { isLeftOut } from './folder-problems.ts'

/**
 * Hard case: Sluice restarts while a reported problem is open.
 * Sluice reports the problem as resolved only after a check since the restart has shown that it is over.
 */

/** Problems that begin together are reported in one message. */
const REPORT_BEGIN_DELAY_MS = 3_000
/**
 * A problem that disappears only briefly is not reported as resolved. After a start, this delay also gives Sluice the
 * time for its first checks.
 */
const REPORT_END_DELAY_MS = 20_000
/** Problems that come and go must not flood the receiver of the alerts. */
const MAX_MESSAGES_PER_HOUR = 6
const HOUR_MS = 60 * 60_000

export type AlertChange = { readonly newNeeds: readonly Need[]; readonly endedSubjects: readonly string[] }

/**
 * Whether Sluice detects the condition on this PC. All other conditions, such as a refused key or a wrong clock, are
 * over only when an answer of the service or the storage shows it.
 */
const isDetectedLocally = (code: string): boolean => {
  const name = conditionWithCode(code)
  return name !== null && ['check', 'none'].includes(probeOf(name, code))
}

/**
 * Whether Sluice checks this need now, and has checked it since the start. Otherwise, a reported need does not count as
 * over. `subject` identifies the need: "station key-refused", "silence PATH".
 */
export const isChecked = (
  subject: string,
  { station, folders, driveSpace, takesToCheck }: Status,
): boolean => {
  const [about, code = ''] = subject.split(' ', 2)
  // Undefined if the folder was removed from the settings.
  const folderState = () => folders.find(({ path }) => subject.endsWith(` ${path}`))?.state
  switch (about) {
    // Before the first answer after a start, Sluice does not know whether, for example, the key is still refused. It
    // also does not know this while a temporary problem stops the station, such as a missing network.
    case 'station':
      return (
        (station.problem === null || problemNeedsAttention(station.problem)) &&
        (station.serviceReachable !== null || isDetectedLocally(code))
      )
    // After a start, the free space of the drives is not known yet. A drive that is away or hangs may still be low. If
    // the drives of all folders are known and this drive is not one of them, no folder is on it any more.
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
    // Sluice judges the silence of a folder only while it watches the folder and is not paused.
    case 'silence': {
      const state = folderState()
      return state === undefined || (state === 'watching' && !station.paused)
    }
    // The status lists only the newest recordings to check. A recording that it does not list may still need a check.
    case 'take':
      return takesToCheck.count <= takesToCheck.newest.length
    default:
      return true
  }
}

/** Compares what needs attention now with what Sluice has reported, and decides when to report. Times are monotonic. */
export class AlertWatch {
  readonly #presentSinceMs = new Map<string, number>()
  readonly #absentSinceMs = new Map<string, number>()
  #sentAtMs: readonly number[] = []

  /**
   * Returns null if there is nothing to report now, or if the limit of messages per hour is reached. After the journal
   * has stored the alert, call `noteReported`.
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

  /**
   * Counts the alert. Call this only after the journal has stored the alert, because a full disk or a locked journal
   * may prevent the write.
   */
  noteReported({ endedSubjects }: AlertChange, nowMs: number): void {
    this.#sentAtMs = [...this.#sentAtMs, nowMs]
    for (const subject of endedSubjects) this.#absentSinceMs.delete(subject)
  }

  #maySend(nowMs: number): boolean {
    this.#sentAtMs = this.#sentAtMs.filter((atMs) => nowMs - atMs < HOUR_MS)
    return this.#sentAtMs.length < MAX_MESSAGES_PER_HOUR
  }
}
