import type { FolderSettings } from '../../../shared/settings/settings.ts'
import {
  DAY_MS,
  isBelowFloor,
  journalSaysSafe,
  type Leaving,
  leavesIfProcessedBy,
} from '../domain/keeping.ts'
import type { ServiceClient } from '../ports/service.ts'
import { StageOf } from '../stage/stage.ts'
import { clearLeftoverCopies } from './leftover-copies.ts'
import { folderIsThere, putRight } from './recover-removals.ts'
import { type Due, TakeAway } from './remove-file.ts'
import { undoCopy } from './undo-copy.ts'

const LOOK_MS = 60_000
const WAY_MS = 10_000
/** A station that records day and night has to clear its drive as well. */
const LONGEST_WAY_MS = 6 * 3_600_000

/** Moves or deletes what the service has processed, as the rules of its folder say. One file at a time. */
export class Keeper extends StageOf<
  | 'journal'
  | 'service'
  | 'station'
  | 'settings'
  | 'files'
  | 'acts'
  | 'eyes'
  | 'hashing'
  | 'paths'
  | 'clock'
  | 'random'
  | 'log'
  | 'newKey'
  | 'rescan'
  | 'guard'
> {
  readonly name = 'keeper'
  /** Days are waited for: what is processed this second is nobody's hurry. */
  readonly takes = [] as const
  #givesWaySinceMs: number | null = null

  async step(signal: AbortSignal): Promise<number> {
    const { journal, clock } = this.world
    // Needs nobody's leave: a recording that a kill left under another name gets its own back first.
    for (const removal of journal.removals.underWay()) await putRight(this.world, removal)
    await clearLeftoverCopies(this.world)
    this.#forgetTargets()
    if (this.#mayGo(signal) !== null) await this.#undoCopies(signal)
    for (;;) {
      const service = this.#mayGo(signal)
      if (service === null) return LOOK_MS
      const lookedAtMs = clock.wallMs()
      const due = await this.#next(lookedAtMs)
      if (due === null) return journal.removals.lookAgainMs(lookedAtMs, LOOK_MS)
      let gaveWay = false
      const givesWay = () => {
        gaveWay ||= !due.early && this.#givesWay()
        return gaveWay
      }
      await new TakeAway(this.world, due, service, { signal, givesWay }).run()
      if (gaveWay) return WAY_MS
      this.#givesWaySinceMs = null
    }
  }

  /** It reads with the threads of the large files. One that waits to be read for the first time comes before it. */
  #givesWay(): boolean {
    const { journal, clock } = this.world
    if (!journal.work.largeWaits()) return false
    const nowMs = clock.monotonicMs()
    this.#givesWaySinceMs ??= nowMs
    return nowMs - this.#givesWaySinceMs < LONGEST_WAY_MS
  }

  #forgetTargets(): void {
    const folders = this.world.settings()?.folders
    if (folders === undefined) return
    const policies = folders.map(({ after_upload }) => after_upload)
    this.world.journal.station.forgetTargetsBut(
      policies.flatMap((policy) => (policy.action === 'move' ? policy.to : [])),
    )
  }

  /** Of files that were about to be moved to a folder that the rules do not name any more. */
  async #undoCopies(signal: AbortSignal): Promise<void> {
    const { journal, paths } = this.world
    for (const removal of journal.removals.placedCopies()) {
      const folder = journal.recordings.byId(removal.recordingId)?.folder ?? ''
      const rules = this.world.settings()?.folders.find(({ path }) => paths.same(path, folder))?.after_upload
      const isMeant = rules?.action === 'move' && paths.contains(rules.to, removal.target ?? '')
      if (rules !== undefined && !isMeant) await undoCopy(this.world, removal, signal)
    }
  }

  /** A paused station removes nothing, nor one whose service or key is in doubt. */
  #mayGo(signal: AbortSignal): ServiceClient | null {
    const { journal, station } = this.world
    return !signal.aborted && station.mayRequest() && journal.station.paused() === null
      ? this.world.service()
      : null
  }

  /** Of all folders the recording that was processed first. */
  async #next(nowMs: number): Promise<Due | null> {
    const { journal, paths } = this.world
    const found: Due[] = []
    // Where one could not be put right, none is begun. A drive that is away for good keeps no other from being cleared.
    const stuck = journal.removals
      .underWay()
      .flatMap(({ recordingId }) => journal.recordings.byId(recordingId)?.folder ?? [])
    for (const folder of this.world.settings()?.folders ?? []) {
      const policy = folder.after_upload
      if (policy.action === 'keep' || stuck.some((path) => paths.same(path, folder.path))) continue
      const due = await this.#nextIn(folder, policy, nowMs)
      if (due !== null) found.push(due)
    }
    return (
      found.sort((a, b) => (a.recording.processedAtMs ?? 0) - (b.recording.processedAtMs ?? 0))[0] ?? null
    )
  }

  async #nextIn(folder: FolderSettings, policy: Leaving, nowMs: number): Promise<Due | null> {
    const { journal, paths, settings } = this.world
    const service = journal.station.serviceInUse()
    if (service === null) return null
    // Most looks find nothing, and then no drive is woken.
    if (journal.removals.due(folder.path, nowMs, service, nowMs, 1).length === 0) return null
    if (!(await folderIsThere(this.world, folder.path))) return null
    const belowFloor = await this.#needsRoom(folder, policy)
    const innermost = paths.finder((settings()?.folders ?? []).map(({ path }) => path))
    for (;;) {
      const [recording] = journal.removals.due(
        folder.path,
        leavesIfProcessedBy(policy, nowMs, belowFloor),
        service,
        nowMs,
        1,
      )
      if (recording === undefined || !journalSaysSafe(recording, service)) return null
      // A folder inside this one was given rules of its own since.
      if (!paths.same(innermost(recording.path) ?? '', folder.path)) {
        journal.removals.wait(recording, 'other-rules')
        continue
      }
      const early = nowMs - (recording.processedAtMs ?? nowMs) < policy.days * DAY_MS
      return { recording, folder, policy, early }
    }
  }

  /** To move a file on its own drive makes no room there; nor does any, where the last one made none. */
  async #needsRoom(folder: FolderSettings, policy: Leaving): Promise<boolean> {
    const { files, acts, journal, clock } = this.world
    const free = await files.freeBytes(folder.path)
    if (!isBelowFloor(policy, free)) return false
    const none = journal.station.noRoomMade(folder.path)
    if (none !== null) {
      if ((free ?? 0) < none.wantedBytes && Math.abs(clock.wallMs() - none.atMs) < DAY_MS) return false
      journal.station.setNoRoomMade(folder.path, null)
    }
    return policy.action === 'delete' || !(await acts.sameDrive(folder.path, policy.to))
  }
}
