import { type FileIdentity, sameExceptCtime, sameFile } from '../domain/file-identity.ts'
import { removalNameFor } from '../domain/removal-name.ts'
import type { Wait } from '../domain/removal-rules.ts'
import type { Intent, Removal } from '../journal/journal.ts'
import type { FileOperationResult } from '../ports/files.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { StageWorld } from '../stage/stage.ts'
import { type ContentMismatch, contentMismatch } from './content-mismatch.ts'
import { findEarlierCopy } from './earlier-copy.ts'
import { fileObjection, unseenWaitMs, writerObjection } from './file-in-use.ts'
import { isRemovalAllowed } from './is-allowed.ts'
import { targetProblem, unusedTargetPath } from './move-target.ts'
import { type Due, type PollOutcome, pollSession } from './poll-session.ts'
import { recoverRemoval } from './recover-removals.ts'
import { findMarker, removeMarker } from './remove-marker.ts'
import { replaceEdited } from './replace-edited.ts'
import type { RemovalWorld } from './restore-hidden-file.ts'
import { checkSpaceGained } from './space-gained.ts'
import { checkTakeInJournal, takeObjection } from './take-objection.ts'

/**
 * Hard case: A file is removed after its retention time.
 * The journal, the file's content and the service must agree at the moment of the removal. Sluice gives the file a
 * hidden name, checks it once more under that name, and then removes it.
 */

/**
 * Hard case: A writer has the file open while it is removed.
 * Sluice renames the file first, so that no program can open it by its path. If a program still has the file open, or
 * the file changes after the rename, Sluice restores its name.
 */

/**
 * Hard case: The archive is a second mount of the same drive, and the system allows no rename between mounts.
 * Sluice copies the file, as for an archive on a different drive.
 */

/**
 * Hard case: The archive has too little space, or does not accept a file of this size.
 * Sluice compares the free space with the file's size before each copy. Size limits (4 GB on FAT32) and quotas are not
 * visible before the copy. If they stop a copy, Sluice retries after an hour.
 */

/** Smaller files need no extra poll, because reading them is as fast as polling. */
const POLL_FIRST_FROM_BYTES = 64 * 1024 * 1024

type World = RemovalWorld &
  Pick<StageWorld, 'hashing' | 'service' | 'station' | 'random' | 'newKey' | 'settings' | 'guard' | 'sleep'>

type Outcome = ContentMismatch | PollOutcome

const waitOf = (failure: Exclude<FileOperationResult, { kind: 'done' }>, place: 'file' | 'target'): Wait => {
  switch (failure.kind) {
    case 'changed':
      return 'file-changed'
    case 'vanished':
      return place === 'file' ? 'file-gone' : 'target-missing'
    case 'taken':
      return 'target-taken'
    case 'full':
      return 'target-full'
    case 'other-drive':
    case 'refused':
      return place === 'file' ? 'file-refused' : 'target-refused'
  }
}

/**
 * Removes one file from this PC, or keeps it. The journal and the service must both report the file's content as
 * processed. The file must still have this content, and no program may be writing it. The journal stores each step
 * before Sluice takes the step.
 */
export class FileRemoval {
  readonly #world: World
  #due: Due
  readonly #service: ServiceClient
  readonly #signal: AbortSignal
  readonly #mustYield: () => boolean
  /**
   * The identity of the copy in the archive after the last comparison of its content. Null if Sluice must read the copy
   * again.
   */
  #copied: FileIdentity | null = null
  /** The request ID of the service's last answer. */
  #requestId: string | null = null

  /** `mustYield`: whether the removal must wait for the first hash of large files. */
  constructor(
    world: World,
    due: Due,
    service: ServiceClient,
    { signal, mustYield }: { readonly signal: AbortSignal; readonly mustYield: () => boolean },
  ) {
    this.#world = world
    this.#due = due
    this.#service = service
    this.#signal = signal
    this.#mustYield = mustYield
  }

  async run(): Promise<void> {
    const { journal } = this.#world
    const { recording, policy } = this.#due
    const outcome =
      (await checkTakeInJournal(this.#world, this.#due)) ??
      (await fileObjection({ ...this.#world, service: this.#service }, recording)) ??
      (await takeObjection(this.#world, this.#due, this.#service, this.#signal)) ??
      (await this.#pollFirst()) ??
      (policy.action === 'delete' ? await this.#delete() : await this.#move(policy.to))
    const pendingRemoval = journal.removals.of(recording.id)
    // Undo or finish the started removal before recording why the file stays.
    if (pendingRemoval?.step != null && !(await recoverRemoval(this.#world, pendingRemoval))) return
    if (outcome !== 'over' && !this.#signal.aborted) {
      const now = journal.recordings.byId(recording.id)
      if (now === null || now.removedAtMs !== null) return
      if (outcome === 'edited') return replaceEdited(this.#world, now)
      const untilMs =
        outcome === 'writer-unseen'
          ? this.#world.clock.wallMs() +
            unseenWaitMs({ ...this.#world, service: this.#service }, now.identity)
          : undefined
      journal.removals.wait(now, outcome, this.#requestId, untilMs)
    }
  }

  async #delete(): Promise<Outcome> {
    const objection = await this.#contentMismatch(this.#due.recording.path, 'source')
    if (objection !== null) return objection
    const refused = await this.#pollService()
    if (refused !== null) return refused
    return this.#removeOriginal(this.#intend({ action: 'delete', target: null, copy: null }))
  }

  /**
   * Renames the file. If the target is on a different drive, copies the file, reads the copy, and removes the original.
   */
  async #move(to: string): Promise<Outcome> {
    const { operations, journal, paths } = this.#world
    let { recording } = this.#due
    const objection = await targetProblem(this.#world, recording.path, to)
    if (objection !== null) return objection
    const earlierRemoval = journal.removals.of(recording.id)
    const compare = (path: string) => this.#contentMismatch(path, 'copy')
    const earlierCopy =
      earlierRemoval === null
        ? null
        : await findEarlierCopy(this.#world, recording, earlierRemoval, to, compare)
    if (earlierCopy !== null && 'waits' in earlierCopy) return earlierCopy.waits
    const copiedTarget = earlierCopy?.target ?? null
    const target =
      copiedTarget ?? (await unusedTargetPath(this.#world, recording.path, this.#due.folder.path, to))
    if (target === null) return 'target-taken'
    if (copiedTarget === null) {
      const created = await operations.makeFolder(paths.resolve(target, '..'))
      if (created.kind !== 'done') return waitOf(created, 'target')
      if (await operations.sameDrive(recording.path, to)) {
        const renamed = await this.#rename(target)
        if (renamed !== 'other-drive') return renamed
        // The system may refuse a rename even within a drive, for example between two mounts. So copy the file.
        if (!(await this.#undoRename())) return 'interrupted'
        recording = this.#due.recording
      }
      const failed = await this.#copyTo(target, to)
      if (failed !== null) return failed
    } else {
      this.#copied = earlierCopy?.identity ?? null
      // The copy was verified, but the original may have changed since.
      const changed = await this.#contentMismatch(recording.path, 'source')
      if (changed !== null) return changed
      this.#intendCopy(target, to)
    }
    const refused = await this.#pollService()
    if (refused !== null) return refused
    const intent = journal.removals.of(recording.id)
    if (intent?.copy == null) return 'interrupted'
    // Minutes may have passed, and the drive of the target may be missing by now.
    const problemNow = await targetProblem(this.#world, this.#due.recording.path, to)
    if (problemNow !== null) return problemNow
    if (copiedTarget === null) {
      if (!(await this.#isCopyUnchanged(intent.copy))) return 'interrupted'
      const placed = await operations.place(intent.copy, target)
      if (placed.kind !== 'done') return waitOf(placed, 'target')
      await this.#notePlaced(target)
    }
    journal.removals.advance(recording.id, 'copied', this.#requestId)
    return this.#removeOriginal(intent)
  }

  async #rename(target: string): Promise<Outcome | 'other-drive'> {
    const objection = await this.#contentMismatch(this.#due.recording.path, 'source')
    if (objection !== null) return objection
    const refused = await this.#pollService()
    if (refused !== null) return refused
    return this.#hideCheckAndRemove(this.#intend({ action: 'move', target, copy: null }))
  }

  /**
   * Restores the file's original name. Also loads the recording again, because the ctime of the file has changed. False
   * on failure.
   */
  async #undoRename(): Promise<boolean> {
    const { journal } = this.#world
    const { id } = this.#due.recording
    const pendingRemoval = journal.removals.of(id)
    if (pendingRemoval !== null && !(await recoverRemoval(this.#world, pendingRemoval))) return false
    const recording = journal.recordings.byId(id)
    if (recording === null) return false
    this.#due = { ...this.#due, recording }
    return true
  }

  async #copyTo(target: string, to: string): Promise<Outcome | null> {
    const { operations, files, journal } = this.#world
    const { recording } = this.#due
    // The last chance to yield. If a removal stopped during the copy, it would have to start the copy again.
    if (this.#mustYield()) return 'interrupted'
    const free = await files.freeBytes(to)
    if (free !== null && free < recording.identity.sizeBytes) return 'target-full'
    // Forget an earlier copy with the same target. Otherwise, recovery would treat an incomplete new copy like the
    // finished earlier one.
    journal.removals.forgetCopy(recording.id)
    const copy = this.#intendCopy(target, to)
    if (copy === null) return 'target-missing'
    const copied = await operations.copy(recording.path, copy, recording.identity, this.#signal)
    if (copied.kind === 'full') return 'target-limit'
    if (copied.kind !== 'done') return waitOf(copied, copied.kind === 'changed' ? 'file' : 'target')
    const written = await files.identify(copy)
    if (!written.ok) return 'target-missing'
    this.#copied = written.value
    const mismatch = await this.#contentMismatch(copy, 'copy', () => false)
    if (mismatch !== 'edited') return mismatch
    // Either the original was edited, or the archive stored wrong bytes. So read the original again.
    return (await this.#contentMismatch(recording.path, 'source')) ?? 'file-changed'
  }

  async #removeOriginal(intent: Removal): Promise<Outcome> {
    const outcome = await this.#hideCheckAndRemove(intent)
    return outcome === 'other-drive' ? 'file-refused' : outcome
  }

  /**
   * Renames the file to its hidden name, so that no program can open it by its path. Then checks for writers, and reads
   * the content a second time. The timestamps do not prove that the content is unchanged: a program may have restored
   * the mtime, and the rename has changed the ctime. If the content or the identity is wrong, or if the file has a
   * writer, Sluice restores the name.
   */
  async #hideCheckAndRemove(intent: Removal): Promise<Outcome | 'other-drive'> {
    const { operations, files, journal, folderAccess, paths } = this.#world
    const { recording } = this.#due
    const { removalName, target, copy } = intent
    if (!this.#isAllowed()) return 'interrupted'
    const marker = await findMarker(this.#world, recording, this.#due.folder)
    const renamed = await operations.hide(recording.path, removalName, recording.identity)
    if (renamed.kind !== 'done') return waitOf(renamed, 'file')
    const writer = await this.#hiddenFileWriter(removalName)
    if (writer !== null) return writer
    const changed = await this.#contentMismatch(removalName, 'hidden')
    if (changed !== null) return changed
    // The file took minutes to read. Meanwhile, a user may have deleted the session.
    const refused = await this.#pollService()
    if (refused !== null) return refused
    if (copy !== null && !(await this.#isCopyUnchanged(target ?? ''))) return 'interrupted'
    // While Sluice waited for the answer, a program may have opened the file by its hidden name.
    const lateWriter = await this.#hiddenFileWriter(removalName)
    if (lateWriter !== null) return lateWriter
    // Identify the folder first, then the file. If the folder was replaced, the file is not found in it, and the
    // removal stops.
    const folder = await folderAccess.volumeOf(paths.resolve(removalName, '..'))
    const hidden = await files.identify(removalName)
    if (folder === null || !hidden.ok || !sameFile(hidden.value, renamed.identity)) return 'interrupted'
    const freeBefore = this.#due.early ? await files.freeBytes(this.#due.folder.path) : null
    if (!this.#advanceIfAllowed(folder.inode)) return 'interrupted'
    const isRename = target !== null && copy === null
    const removed = await (isRename
      ? operations.place(removalName, target, renamed.identity)
      : operations.remove(removalName, renamed.identity))
    if (removed.kind === 'other-drive') return removed.kind
    // Another program moved or deleted the hidden file, so this is not a deletion by Sluice.
    if (removed.kind === 'vanished' && intent.action === 'delete')
      journal.removals.advance(recording.id, 'intended', this.#requestId)
    if (removed.kind !== 'done') return waitOf(removed, isRename ? 'target' : 'file')
    journal.removals.finish(recording, { ...intent, requestId: this.#requestId })
    if (marker !== null) await removeMarker(this.#world, marker, target, this.#signal)
    this.#world.rescan(recording.folder)
    if (freeBefore !== null) await checkSpaceGained(this.#world, this.#due, freeBefore)
    return 'over'
  }

  async #hiddenFileWriter(removalName: string): Promise<Outcome | null> {
    const inspected = await this.#world.files.inspect(removalName, 'at-removal')
    if (!inspected.ok) return 'file-refused'
    const clocks = { ...this.#world, service: this.#service }
    return writerObjection(clocks, this.#due.recording.identity, inspected.value)
  }

  /**
   * An unchanged identity proves an unchanged copy, because no editor can restore the ctime. Some shares change the
   * inode number or ctime at any time, so if the identity differs, the content decides.
   */
  async #isCopyUnchanged(path: string): Promise<boolean> {
    const now = await this.#world.files.identify(path)
    if (!now.ok) return false
    if (this.#copied !== null && sameFile(now.value, this.#copied)) return true
    if ((await this.#contentMismatch(path, 'copy', () => false)) !== null) return false
    this.#copied = now.value
    return true
  }

  /**
   * The rename to its final name changes only the ctime of the copy. If anything else differs, Sluice reads the copy
   * again.
   */
  async #notePlaced(target: string): Promise<void> {
    const placed = await this.#world.files.identify(target)
    const isSame = placed.ok && this.#copied !== null && sameExceptCtime(placed.value, this.#copied)
    this.#copied = isSame ? placed.value : null
  }

  /** Checks and writes in one transaction, because a command in a terminal could delete the session in between. */
  #advanceIfAllowed(asideFolder: string): boolean {
    const { journal } = this.#world
    return journal.transaction(() => {
      // If a user has renamed the folder, a scan may have ended the removal.
      const isUnderWay = journal.removals.of(this.#due.recording.id)?.step != null
      if (!isUnderWay || !this.#isAllowed()) return false
      journal.removals.advance(this.#due.recording.id, 'aside', this.#requestId, asideFolder)
      return true
    })
  }

  /** Stores the intent of a copy. Returns the hidden path of the copy; null if the target drive is unknown. */
  #intendCopy(target: string, to: string): string | null {
    const volume = this.#world.journal.volumes.targetVolume(to)
    if (volume === null) return null
    const copy = this.#newRemovalName(target)
    this.#intend({ action: 'move', target, copy, archive: { folder: to, volume } })
    return copy
  }

  #intend(what: Pick<Intent, 'action' | 'target' | 'copy' | 'archive'>): Removal {
    const { journal } = this.#world
    const { recording, early } = this.#due
    const removalName = this.#newRemovalName(recording.path)
    journal.removals.intend(recording, { ...what, removalName, early })
    const intent = journal.removals.of(recording.id)
    if (intent === null) throw new Error('the journal did not store the intent')
    return intent
  }

  /** A unique hidden name in the same folder. Scans do not list files with such a name as recordings. */
  #newRemovalName(path: string): string {
    const { paths, newKey } = this.#world
    return paths.join(paths.resolve(path, '..'), removalNameFor(newKey(), paths.nameOf(path)))
  }

  #isAllowed(): boolean {
    return isRemovalAllowed(this.#world, this.#due, this.#service, this.#signal)
  }

  #contentMismatch(
    path: string,
    is: 'source' | 'hidden' | 'copy',
    mustYield = this.#mustYield,
  ): Promise<ContentMismatch | null> {
    return contentMismatch(
      this.#world,
      this.#due.recording,
      { path, is },
      { signal: this.#signal, mustYield },
    )
  }

  /** Polls the service before Sluice reads or copies a large file. If the service objects, this saves hours of work. */
  async #pollFirst(): Promise<Outcome | null> {
    return this.#due.recording.identity.sizeBytes < POLL_FIRST_FROM_BYTES ? null : this.#pollService()
  }

  /** Null if the service has no objection: see `pollSession`. */
  async #pollService(): Promise<Outcome | null> {
    const { objection, requestId } = await pollSession(this.#world, this.#due, this.#service, this.#signal)
    this.#requestId = requestId ?? this.#requestId
    return objection
  }
}
