import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { isOnPurpose } from '../../../../shared/status/problem.ts'
import { AppendingRecorders } from '../../domain/appending-recorders.ts'
import { hasEndMark, isCheckedEarly, isInspectedEarly } from '../../domain/end-marks.ts'
import type { Failure } from '../../domain/failure.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { isMarkerOf } from '../../domain/marker-file.ts'
import { LARGEST_RECORDING_BYTES } from '../../domain/part-plan.ts'
import { CUT_OFF_REASON, noHold, waitsForever } from '../../domain/problems.ts'
import type { GrowingFile, RecordingPatch } from '../../journal/journal.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import { StageOf } from '../../stage/stage.ts'
import { FinishedTakes } from './finished-takes.ts'

/** An incomplete file waits this many settle times, in case its recorder continues. */
const INCOMPLETE_SETTLE_FACTOR = 10
/** An incomplete file that no program has open waits only this many settle times: its recorder has crashed. */
const CRASHED_SETTLE_FACTOR = 2
/**
 * Files of some formats are checked before the settle time is over: first after this delay, then at growing intervals.
 */
const FIRST_EARLY_CHECK_MS = 1_000
/**
 * A file waits this many settle times if the system cannot show whether a program has it open: its recorder may only
 * be pausing.
 */
const UNSEEN_WRITER_SETTLE_FACTOR = 3
/** If the marker file is still missing this long after the last change, Sluice puts the recording on hold. */
const MARKER_TIMEOUT_MS = 10 * 60_000
/** The window shows a file that changed within this time as being written. */
const BEING_WRITTEN_MS = 2_000
const CHECK_INTERVAL_MS = 1_000
const CHECKS_PER_COMMIT = 200
const CONCURRENT_CHECKS = 8
/** The shortest pause between two passes. Without it, every change of a growing recording would start a pass. */
const MIN_INTERVAL_MS = 50
/** Passes over the growing files take at most this share of the time. */
const MAX_PASS_SHARE = 0.2

const isAway = ({ kind }: Failure): boolean => kind === 'file-vanished' || kind === 'drive-away'

type QuietPeriod = {
  readonly identity: FileIdentity
  readonly sinceMs: number
  /** Digest of sampled bytes. Needed only if Sluice cannot see which programs have the file open. */
  readonly sample: string | null
  /** Number of checks before the settle time was over. */
  readonly earlyChecks: number
  /** At the last check, the recorder was not done: it had the file open, or the marker was missing or outdated. */
  readonly isBeingWritten: boolean
}
type DueFile = { readonly file: GrowingFile; readonly quiet: QuietPeriod }

/**
 * Decides when a recording is finished. The settler measures the quiet time itself instead of comparing file times. So
 * after a restart, each file must be quiet again.
 */
export class Settler extends StageOf<
  'journal' | 'files' | 'paths' | 'clock' | 'random' | 'folderOf' | 'station' | 'progress'
> {
  readonly name = 'settler'
  readonly states = ['growing'] as const
  readonly #quietPeriods = new Map<number, QuietPeriod>()
  readonly #appendingRecorders = new AppendingRecorders()
  readonly #takes = new FinishedTakes(this.world)
  #nextPassAtMs = 0

  async step(signal: AbortSignal): Promise<number> {
    const { journal, clock, progress } = this.world
    const startedAtMs = clock.monotonicMs()
    if (startedAtMs < this.#nextPassAtMs) return Math.ceil(this.#nextPassAtMs - startedAtMs)
    const growing = journal.work.growing()
    const ids = new Set(growing.map((file) => file.id))
    for (const id of this.#quietPeriods.keys())
      if (!ids.has(id)) {
        this.#quietPeriods.delete(id)
        this.#takes.forget(id)
        progress.settling(id, null)
        progress.waitingFor(id, null)
      }
    let soonestMs = CHECK_INTERVAL_MS * 10
    const dueFiles: DueFile[] = []
    for (const file of growing) {
      const quiet = this.#quietPeriodOf(file)
      // The file is finished. It waits for the other files of its take.
      if (this.#takes.has(file)) continue
      const untilRetryMs = file.nextAttemptAtMs - clock.wallMs()
      const waitMs = Math.max(quiet.sinceMs + this.#requiredQuietMs(file, quiet) - startedAtMs, untilRetryMs)
      const earlyCheckAtMs = this.#earlyCheckAtMs(file, quiet)
      if (waitMs <= 0 || startedAtMs >= earlyCheckAtMs) dueFiles.push({ file, quiet })
      else soonestMs = Math.min(soonestMs, earlyCheckAtMs - startedAtMs)
      this.#showSettling(file, quiet, waitMs)
      soonestMs = Math.min(soonestMs, waitMs > 0 ? waitMs : CHECK_INTERVAL_MS)
    }
    const passMs = clock.monotonicMs() - startedAtMs
    // Many checks share one commit: 30,000 files that arrive together need only 150 commits.
    for (let from = 0; from < dueFiles.length && !signal.aborted; from += CHECKS_PER_COMMIT)
      await this.#settle(dueFiles.slice(from, from + CHECKS_PER_COMMIT))
    soonestMs = Math.min(soonestMs, await this.#settleTakes(growing))
    this.#nextPassAtMs = clock.monotonicMs() + Math.max(MIN_INTERVAL_MS, passMs / MAX_PASS_SHARE)
    return soonestMs
  }

  async #settle(dueFiles: readonly DueFile[]): Promise<void> {
    const changes: { readonly id: number; readonly apply: () => void }[] = []
    for (let from = 0; from < dueFiles.length; from += CONCURRENT_CHECKS) {
      const chunk = dueFiles.slice(from, from + CONCURRENT_CHECKS)
      const results = await Promise.all(chunk.map(({ file, quiet }) => this.#check(file, quiet)))
      for (const [index, { file }] of chunk.entries()) {
        const apply = results[index] ?? null
        if (apply !== null) changes.push({ id: file.id, apply })
      }
    }
    if (changes.length === 0) return
    this.world.journal.transaction(() => {
      for (const { id, apply } of changes) if (!this.#isIgnored(id)) apply()
    })
  }

  /** A user may have ignored the file, or removed its folder from the settings, while the settler checked it. */
  #isIgnored(id: number): boolean {
    const now = this.world.journal.recordings.byId(id)
    return now !== null && now.problem !== null && isOnPurpose(now.problem) && waitsForever(now)
  }

  /** Settles the files of all finished takes in one transaction. Returns the milliseconds until the next check. */
  async #settleTakes(growing: readonly GrowingFile[]): Promise<number> {
    const { journal, clock, progress } = this.world
    const timesOf = (file: GrowingFile) => ({
      settleMs: this.#settleMs(file),
      unmarkedMs: this.#settleMs(file) * INCOMPLETE_SETTLE_FACTOR,
      quietMs: (member: GrowingFile) => clock.monotonicMs() - this.#quietPeriodOf(member).sinceMs,
    })
    const takes = await this.#takes.find(growing, timesOf, (file) => this.#folderOf(file))
    const finished = takes.filter(({ waitMs }) => waitMs <= 0)
    if (finished.length > 0)
      journal.transaction(() => {
        for (const { settle } of finished) settle()
      })
    const waiting = takes.filter(({ waitMs }) => waitMs > 0)
    let soonestMs = CHECK_INTERVAL_MS * 10
    for (const { files, waitMs, waitsFor, crashedFile } of waiting) {
      soonestMs = Math.min(soonestMs, waitMs)
      this.#reportCrash(files, crashedFile)
      for (const file of files) {
        // Skip unfinished files: the window may already show that they wait for their own marker files.
        if (this.#takes.has(file)) progress.waitingFor(file.id, waitsFor)
        if (Number.isFinite(waitMs)) progress.settling(file.id, clock.wallMs() + waitMs)
      }
    }
    return soonestMs
  }

  /** Reports `crashedFile` as cut off: its recorder has crashed. Clears the report if the recorder continues. */
  #reportCrash(files: readonly GrowingFile[], crashedFile: GrowingFile | null): void {
    const changes = files
      .filter((file) => this.#takes.has(file))
      .flatMap((file) => {
        const isReported = file.problemCode === 'file-damaged'
        if (isReported === (file.id === crashedFile?.id)) return []
        if (!isReported) return [this.#hold(file, { kind: 'file-unfinished' })]
        const endReport = this.#endProblem(file)
        return [() => void (this.#isIgnored(file.id) || endReport())]
      })
    if (changes.length === 0) return
    this.world.journal.transaction(() => {
      for (const apply of changes) apply()
    })
  }

  /** Shows a quiet file as finishing until it has settled. A file on hold shows its problem instead. */
  #showSettling(file: GrowingFile, quiet: QuietPeriod, waitMs: number): void {
    const { clock, progress } = this.world
    // For an incomplete file, `#check` has already shown the time of the upload.
    if (file.problemCode === 'file-damaged') return
    const isQuiet = clock.monotonicMs() - quiet.sinceMs >= BEING_WRITTEN_MS && !quiet.isBeingWritten
    if (!isQuiet || file.problemCode !== null) progress.settling(file.id, null)
    else progress.settling(file.id, clock.wallMs() + Math.max(0, waitMs))
  }

  #folderOf(file: GrowingFile): FolderSettings | undefined {
    return this.world.folderOf(file.folder)
  }

  #settleMs(file: GrowingFile): number {
    return (this.#folderOf(file)?.settle_seconds ?? 10) * 1000
  }

  #requiredQuietMs(file: GrowingFile, quiet: QuietPeriod): number {
    return this.#settleMs(file) * (quiet.sample === null ? 1 : UNSEEN_WRITER_SETTLE_FACTOR)
  }

  /** The time of the next early check: 1 s, 2 s, 4 s and so on after the last change. */
  #earlyCheckAtMs(file: GrowingFile, quiet: QuietPeriod): number {
    const delayMs = FIRST_EARLY_CHECK_MS * 2 ** quiet.earlyChecks
    const mayEndEarly = isCheckedEarly(file.path) && !this.#appendingRecorders.appendsAfterClosing(file)
    // An ignored recording, or one whose folder was removed from the settings, has no next attempt.
    const mayBeChecked = !waitsForever(file)
    const isUseful = delayMs < this.#settleMs(file) && mayEndEarly && mayBeChecked
    return isUseful && this.#folderOf(file)?.marker_suffix === undefined
      ? quiet.sinceMs + delayMs
      : Number.POSITIVE_INFINITY
  }

  #quietPeriodOf(file: GrowingFile): QuietPeriod {
    const previous = this.#quietPeriods.get(file.id)
    if (previous !== undefined && sameFile(previous.identity, file.identity)) return previous
    this.#appendingRecorders.noteGrowing(file)
    this.world.progress.waitingFor(file.id, null)
    const quiet = {
      identity: file.identity,
      sinceMs: this.world.clock.monotonicMs(),
      sample: null,
      earlyChecks: 0,
      isBeingWritten: false,
    }
    this.#quietPeriods.set(file.id, quiet)
    return quiet
  }

  async #check(file: GrowingFile, quiet: QuietPeriod): Promise<(() => void) | null> {
    const { journal, files, clock, progress } = this.world
    const { recordings } = journal
    const isEarly = clock.monotonicMs() - quiet.sinceMs < this.#requiredQuietMs(file, quiet)
    const updatedPeriod = isEarly ? { ...quiet, earlyChecks: quiet.earlyChecks + 1 } : quiet
    this.#quietPeriods.set(file.id, { ...updatedPeriod, isBeingWritten: false })
    const markBeingWritten = () => {
      this.#quietPeriods.set(file.id, { ...updatedPeriod, isBeingWritten: true })
      progress.settling(file.id, null)
    }
    const identified = await files.identify(file.path)
    // Ignore failures until the settle time is over.
    if (!identified.ok && isEarly) return null
    if (!identified.ok) {
      // The watcher handles vanished files, because the whole folder may be offline.
      this.#quietPeriods.set(file.id, { ...quiet, sinceMs: clock.monotonicMs() })
      return isAway(identified.failure) ? null : this.#hold(file, identified.failure)
    }
    const identity = identified.value
    if (!sameFile(identity, quiet.identity)) return this.#endProblem(file, { identity })
    const marker = await this.#markerOf(file, identity)
    const isMarkerLate = clock.monotonicMs() - quiet.sinceMs >= MARKER_TIMEOUT_MS
    progress.waitingFor(file.id, marker === 'missing' ? this.#markerName(file) : null)
    if (marker === 'missing' && !isMarkerLate) {
      markBeingWritten()
      return file.problemCode === 'marker-outdated' ? this.#endProblem(file) : null
    }
    const inspected = await files.inspect(file.path, { unchangedSinceMs: quiet.sinceMs })
    if (!inspected.ok && isEarly) return null
    if (!inspected.ok) return isAway(inspected.failure) ? null : this.#hold(file, inspected.failure)
    // Check the writer before the size: an open file may still be empty.
    const { writer, complete, format, sample, shared = false } = inspected.value
    if (writer === 'open') {
      markBeingWritten()
      return file.problemCode === null ? null : this.#endProblem(file)
    }
    if (marker === 'outdated' || marker === 'missing') {
      markBeingWritten()
      return this.#hold(
        file,
        marker === 'outdated'
          ? { kind: 'marker-outdated' }
          : { kind: 'marker-missing', detail: this.#markerName(file) },
      )
    }
    // The end mark is reliable if no program on this PC has the file open, and no other PC can have it open.
    const isSeenClosed = writer !== 'unseen' && !shared
    const isClosed = isSeenClosed && hasEndMark(format)
    const isWorthReporting = complete === 'yes' || (complete === 'no' && quiet.earlyChecks > 0)
    const isInspectionDue =
      isSeenClosed && isInspectedEarly(format) && (complete !== 'no' || isWorthReporting)
    if (isEarly && isInspectionDue && identity.sizeBytes > 0) return () => this.#inspectEarly(file, identity)
    if (isEarly && !(isClosed && isWorthReporting && identity.sizeBytes > 0)) return null
    // Recorders write the marker or the MCAP footer when they finish.
    const isMarkedFinished = marker === 'valid' || (format === 'mcap' && complete === 'yes')
    if (writer === 'unseen' && !isMarkedFinished && !this.#isUnchangedTwice(file, quiet, sample)) return null
    if (identity.sizeBytes === 0) return this.#hold(file, { kind: 'file-empty' })
    if (identity.sizeBytes > LARGEST_RECORDING_BYTES) return this.#hold(file, { kind: 'file-too-large' })
    const isIncomplete = complete === 'no'
    const factor = isClosed ? CRASHED_SETTLE_FACTOR : INCOMPLETE_SETTLE_FACTOR
    const incompleteWaitMs = quiet.sinceMs + this.#settleMs(file) * factor - clock.monotonicMs()
    if (isIncomplete && incompleteWaitMs > 0) {
      progress.settling(file.id, clock.wallMs() + incompleteWaitMs)
      return file.problemCode === 'file-damaged' ? null : this.#hold(file, { kind: 'file-unfinished' })
    }
    const settledReason = isEarly
      ? 'closed by its recorder'
      : `unchanged for ${this.#requiredQuietMs(file, quiet) / 1000} s`
    const settle = (takeReason: string | null = null) => {
      // A scan may have found a change while the settler checked other files.
      const now = recordings.byId(file.id)
      if (now?.state !== 'growing' || !sameFile(now.identity, identity)) return
      progress.settling(file.id, null)
      if (isEarly) this.#appendingRecorders.noteClosed({ ...file, identity })
      const shownReason = isIncomplete ? CUT_OFF_REASON : (takeReason ?? settledReason)
      recordings.transition(file.id, 'growing', { kind: 'settled' }, { reason: shownReason })
    }
    if (file.take === null) return settle
    progress.settling(file.id, null)
    this.#takes.add(file, { identity, settle })
    // Clear the solved problem. If it stayed dismissed, Sluice would leave the file out of its take.
    return file.problemCode === null ? null : this.#endProblem(file)
  }

  /** Requests only the inspection; the upload waits for the settle time. */
  #inspectEarly(file: GrowingFile, identity: FileIdentity): void {
    const { recordings, inspections } = this.world.journal
    const now = recordings.byId(file.id)
    if (now?.state !== 'growing' || !sameFile(now.identity, identity)) return
    this.#appendingRecorders.noteClosed({ ...file, identity })
    inspections.requestEarly(file.id)
  }

  #markerName({ path, folder }: GrowingFile): string {
    return this.world.paths.nameOf(path) + (this.world.folderOf(folder)?.marker_suffix ?? '')
  }

  /** `none`: the settings of the folder require no marker file. */
  async #markerOf(
    file: GrowingFile,
    identity: FileIdentity,
  ): Promise<'none' | 'missing' | 'outdated' | 'valid'> {
    const suffix = this.#folderOf(file)?.marker_suffix
    if (suffix === undefined) return 'none'
    const marker = await this.world.files.identify(file.path + suffix)
    if (!marker.ok) return 'missing'
    return isMarkerOf(marker.value, identity) ? 'valid' : 'outdated'
  }

  /** True if size, times and sampled bytes are unchanged, and the two samples are far enough apart. */
  #isUnchangedTwice(file: GrowingFile, quiet: QuietPeriod, sample: string): boolean {
    const nowMs = this.world.clock.monotonicMs()
    const isSame = quiet.sample === null || quiet.sample === sample
    // The first sample may come long after the last change. Count at most one settle time before the first sample, so
    // that most of the required quiet time lies between the two samples.
    const firstSinceMs = Math.max(quiet.sinceMs, nowMs - this.#settleMs(file))
    if (quiet.sample !== sample)
      this.#quietPeriods.set(file.id, {
        ...quiet,
        sample,
        sinceMs: isSame ? firstSinceMs : nowMs,
        isBeingWritten: false,
      })
    return quiet.sample === sample && nowMs - quiet.sinceMs >= this.#requiredQuietMs(file, quiet)
  }

  /**
   * Clears the problem of the file and applies `patch`. Does nothing if the file's state, identity or problem in the
   * journal has changed since the check began.
   */
  #endProblem(file: GrowingFile, patch: RecordingPatch = {}): () => void {
    return () => {
      const { recordings } = this.world.journal
      const now = recordings.byId(file.id)
      if (now?.state !== 'growing' || !sameFile(now.identity, file.identity)) return
      if ((now.problem?.code ?? null) === file.problemCode) recordings.patch(file.id, { ...patch, ...noHold })
    }
  }

  #hold(file: GrowingFile, failure: Failure): () => void {
    return () => {
      const recording = this.world.journal.recordings.byId(file.id)
      if (recording?.state === 'growing') applyDecision(this.world, { kind: 'recording', recording }, failure)
    }
  }
}
