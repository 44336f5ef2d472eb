import type { FolderSettings } from '../../../shared/settings/settings.ts'
import {
  DAY_MS,
  isBelowFloor,
  isSafeInJournal,
  type RemovalPolicy,
  removalCutoffMs,
  waitMs,
} from '../domain/removal-rules.ts'
import type { ServiceClient } from '../ports/service.ts'
import { StageOf } from '../stage/stage.ts'
import { clearLeftoverCopies } from './leftover-copies.ts'
import type { Due } from './poll-session.ts'
import { folderIsThere, recoverRemoval } from './recover-removals.ts'
import { FileRemoval } from './remove-file.ts'
import { undoCopy } from './undo-copy.ts'

/**
 * Hard case: Sluice removes files early to free space, but the free space does not grow.
 * Sluice stops early removal for a day, or until there is more free space.
 */

const CHECK_INTERVAL_MS = 60_000
const YIELD_DELAY_MS = 10_000
/** After this time, removals no longer yield: even a station that always records must free space. */
const MAX_YIELD_MS = 6 * 3_600_000

/**
 * On some drives, Sluice can hide a file but not restore its name. After this many such files, Sluice removes no more
 * files in the folder.
 */
const MAX_STUCK_PER_FOLDER = 3

/** Moves or deletes processed files by the rules of their folder, one file at a time. */
export class Remover extends StageOf<
  | 'journal'
  | 'service'
  | 'station'
  | 'settings'
  | 'files'
  | 'operations'
  | 'folderAccess'
  | 'hashing'
  | 'paths'
  | 'clock'
  | 'random'
  | 'log'
  | 'newKey'
  | 'rescan'
  | 'guard'
  | 'sleep'
> {
  readonly name = 'remover'
  /** Removals wait for days, so no change of state needs to wake this stage. */
  readonly states = [] as const
  #yieldingSinceMs: number | null = null
  /** By recording: when to try again to undo its copy. */
  readonly #undoAgainAtMs = new Map<number, number>()

  async step(signal: AbortSignal): Promise<number> {
    const { journal, clock } = this.world
    // Runs even while paused, because a crash may have left a recording under its hidden name.
    for (const removal of journal.removals.underWay()) await recoverRemoval(this.world, removal)
    await clearLeftoverCopies(this.world)
    this.#forgetTargets()
    if (this.#serviceIfAllowed(signal) !== null) await this.#undoCopies(signal)
    for (;;) {
      const service = this.#serviceIfAllowed(signal)
      if (service === null) return CHECK_INTERVAL_MS
      const checkedAtMs = clock.wallMs()
      const due = await this.#next(checkedAtMs)
      if (due === null) return journal.removals.nextCheckMs(checkedAtMs, CHECK_INTERVAL_MS)
      let hasYielded = false
      const mustYield = () => {
        hasYielded ||= !due.early && this.#mustYield()
        return hasYielded
      }
      await new FileRemoval(this.world, due, service, { signal, mustYield }).run()
      if (hasYielded) return YIELD_DELAY_MS
    }
  }

  /** Removals and large files share the hash threads. A large file that waits for its first hash has priority. */
  #mustYield(): boolean {
    const { journal, clock } = this.world
    if (!journal.work.hasLargeFileQueued()) {
      this.#yieldingSinceMs = null
      return false
    }
    const nowMs = clock.monotonicMs()
    this.#yieldingSinceMs ??= nowMs
    return nowMs - this.#yieldingSinceMs < MAX_YIELD_MS
  }

  #forgetTargets(): void {
    const folders = this.world.settings()?.folders
    if (folders === undefined) return
    const policies = folders.map(({ after_upload }) => after_upload)
    this.world.journal.volumes.forgetTargetsExcept(
      policies.flatMap((policy) => (policy.action === 'move' ? policy.to : [])),
    )
  }

  /**
   * Undoes copies whose target is no longer in the rules of their watched folder. Keeps the copies of folders that are
   * no longer watched.
   */
  async #undoCopies(signal: AbortSignal): Promise<void> {
    const { journal, paths, clock } = this.world
    for (const removal of journal.removals.placedCopies()) {
      const { recordingId } = removal
      if (clock.monotonicMs() < (this.#undoAgainAtMs.get(recordingId) ?? 0)) continue
      const folder = journal.recordings.byId(recordingId)?.folder ?? ''
      const rules = this.world.settings()?.folders.find(({ path }) => paths.same(path, folder))?.after_upload
      const isStillTarget = rules?.action === 'move' && paths.contains(rules.to, removal.target ?? '')
      if (rules === undefined || isStillTarget) continue
      this.#undoAgainAtMs.delete(recordingId)
      if ((await undoCopy(this.world, removal, signal)) === 'unreadable')
        this.#undoAgainAtMs.set(recordingId, clock.monotonicMs() + waitMs('file-refused'))
    }
  }

  /**
   * Null if nothing may be removed now, for example while the station is paused. Always null with a test key, because
   * the sessions of a test key may be lost at any time (§5.3).
   */
  #serviceIfAllowed(signal: AbortSignal): ServiceClient | null {
    const { journal, station } = this.world
    if (signal.aborted || !station.mayRequest() || journal.station.currentPause() !== null) return null
    const service = this.world.service()
    return service === null || service.usesTestKey ? null : service
  }

  /** Of the due recordings of all folders, returns the one that was processed first. */
  async #next(nowMs: number): Promise<Due | null> {
    const { journal, paths } = this.world
    const found: Due[] = []
    const stuckFolders = journal.removals
      .underWay()
      .flatMap(({ recordingId }) => journal.recordings.byId(recordingId)?.folder ?? [])
    for (const folder of this.world.settings()?.folders ?? []) {
      const policy = folder.after_upload
      const stuckCount = stuckFolders.filter((path) => paths.same(path, folder.path)).length
      if (policy.action === 'keep' || stuckCount >= MAX_STUCK_PER_FOLDER) continue
      const due = await this.#nextIn(folder, policy, nowMs)
      if (due !== null) found.push(due)
    }
    return (
      found.sort((a, b) => (a.recording.processedAtMs ?? 0) - (b.recording.processedAtMs ?? 0))[0] ?? null
    )
  }

  async #nextIn(folder: FolderSettings, policy: RemovalPolicy, nowMs: number): Promise<Due | null> {
    const { journal, paths, settings } = this.world
    const service = journal.station.serviceInUse()
    if (service === null) return null
    // Do not wake the drive if there is no file to remove.
    if (journal.removals.due(folder.path, nowMs, service, nowMs, 1).length === 0) return null
    if (!(await folderIsThere(this.world, folder.path))) return null
    const belowFloor = await this.#needsSpace(folder, policy)
    const innermost = paths.finder((settings()?.folders ?? []).map(({ path }) => path))
    for (;;) {
      const [recording] = journal.removals.due(
        folder.path,
        removalCutoffMs(policy, nowMs, belowFloor),
        service,
        nowMs,
        1,
      )
      if (recording === undefined || !isSafeInJournal(recording, service)) return null
      // The recording is now in a nested watched folder, which has its own rules.
      if (!paths.same(innermost(recording.path) ?? '', folder.path)) {
        journal.removals.wait(recording, 'other-rules')
        continue
      }
      const early = nowMs - (recording.processedAtMs ?? nowMs) < policy.days * DAY_MS
      return { recording, folder, policy, early }
    }
  }

  /**
   * Whether to remove files early. False if files only move within the drive, or if early removal has freed no space in
   * the last day.
   */
  async #needsSpace(folder: FolderSettings, policy: RemovalPolicy): Promise<boolean> {
    const { files, operations, journal, clock } = this.world
    const free = await files.freeBytes(folder.path)
    if (!isBelowFloor(policy, free)) return false
    const noGain = journal.volumes.noSpaceGained(folder.path)
    if (noGain !== null) {
      if ((free ?? 0) < noGain.wantedBytes && Math.abs(clock.wallMs() - noGain.atMs) < DAY_MS) return false
      journal.volumes.setNoSpaceGained(folder.path, null)
    }
    return policy.action === 'delete' || !(await operations.sameDrive(folder.path, policy.to))
  }
}
