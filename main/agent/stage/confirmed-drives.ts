import type { Paths } from '../../../shared/paths/paths.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { failed, type Outcome } from '../domain/failure.ts'
import { isOtherDrive, isReplaced } from '../domain/same-drive.ts'
import type { Journal } from '../journal/journal.ts'
import { FileChangedError, type Files, FileUnreadableError, type OpenRecording } from '../ports/files.ts'
import type { FolderAccess } from '../ports/folders.ts'
import type { HashThreads, RunningHashes } from '../ports/hashing.ts'
import type { InspectionThread } from '../ports/inspection.ts'

/**
 * Hard case: A folder's path leads to a different drive with files of the same names.
 * Sluice uses a recording's path only on the drive that it has scanned or that the user has confirmed. On any other
 * drive, the recording waits for its drive.
 */

type World = {
  readonly journal: Pick<Journal, 'volumes'>
  readonly folderAccess: Pick<FolderAccess, 'volumeOf'>
  readonly settings: () => Settings | null
  readonly paths: Paths
}

type Accesses = {
  readonly files: Files
  readonly hashing: HashThreads
  readonly runningHashes: RunningHashes
  readonly inspection: InspectionThread
}

const driveAway = { kind: 'drive-away' } as const

export class ConfirmedDrives {
  readonly #world: World
  readonly #lastChecks = new Map<string, Promise<boolean>>()
  readonly #waitingChecks = new Map<string, Promise<boolean>>()

  constructor(world: World) {
    this.#world = world
  }

  /** The same world, but without access to drives that are not confirmed. */
  only<T extends Accesses>(world: T): T {
    return {
      ...world,
      files: this.filesOf(world.files),
      hashing: this.hashingOf(world.hashing),
      runningHashes: {
        ...world.runningHashes,
        advance: async (request) =>
          this.#confirmFailure(request.path, await world.runningHashes.advance(request)),
        finish: async (request) =>
          this.#confirmFailure(request.path, await world.runningHashes.finish(request)),
      },
      inspection: {
        ...world.inspection,
        inspect: async (request) =>
          this.#confirmFailure(request.path, await world.inspection.inspect(request)),
      },
    }
  }

  filesOf(files: Files): Files {
    return {
      ...files,
      identify: async (path) => this.#confirm(path, await files.identify(path)),
      inspect: async (path, check) => this.#confirmFailure(path, await files.inspect(path, check)),
      readText: async (path, maxBytes) => this.#confirm(path, await files.readText(path, maxBytes)),
      open: async (path) => {
        const opened = await files.open(path)
        const confirmed = await this.#confirm(path, opened)
        if (confirmed.ok) return { ok: true, value: this.#recordingOf(path, confirmed.value) }
        if (opened.ok) await opened.value.close()
        return confirmed
      },
    }
  }

  hashingOf(hashing: HashThreads): HashThreads {
    return {
      ...hashing,
      hash: async (request) => this.#confirmFailure(request.path, await hashing.hash(request)),
      digest: async (algorithm, path, range) =>
        this.#confirm(path, await hashing.digest(algorithm, path, range)),
    }
  }

  /**
   * If the drive of an open file is unplugged, reads fail as if the file had changed or were unreadable. Such an error
   * becomes `drive-away`.
   */
  #recordingOf(path: string, recording: OpenRecording): OpenRecording {
    const isConfirmed = () => this.#isConfirmed(path)
    return {
      ...recording,
      read: async function* (range) {
        try {
          yield* recording.read(range)
        } catch (error) {
          const isAboutFile = error instanceof FileChangedError || error instanceof FileUnreadableError
          throw isAboutFile && !(await isConfirmed()) ? new FileUnreadableError(driveAway) : error
        }
      },
    }
  }

  /**
   * Replaces the outcome with `drive-away` if the drive is not confirmed. Skips the check after `cancelled`, and after
   * `file-busy`, because the drive may hang.
   */
  async #confirm<T>(path: string, outcome: Outcome<T>): Promise<Outcome<T>> {
    if (!outcome.ok && (outcome.failure.kind === 'file-busy' || outcome.failure.kind === 'cancelled'))
      return outcome
    return (await this.#isConfirmed(path)) ? outcome : failed(driveAway)
  }

  /**
   * Checks the drive only after a failure. Use this for calls that check the identity of the file, because they fail on
   * a different drive.
   */
  async #confirmFailure<T>(path: string, outcome: Outcome<T>): Promise<Outcome<T>> {
    return outcome.ok ? outcome : this.#confirm(path, outcome)
  }

  async #isConfirmed(path: string): Promise<boolean> {
    const { settings, journal, paths } = this.#world
    const watched = paths.finder((settings()?.folders ?? []).map((folder) => folder.path))(path)
    if (watched !== null) return this.#check(watched, true)
    const removed = paths.finder(journal.volumes.knownFolders())(path)
    return removed === null || this.#check(removed, false)
  }

  /** Shares only a check that has not started, because a running one may have seen the drive before the access. */
  #check(folder: string, isWatched: boolean): Promise<boolean> {
    const waiting = this.#waitingChecks.get(folder)
    if (waiting !== undefined) return waiting
    const last = this.#lastChecks.get(folder) ?? Promise.resolve()
    const next = last
      .catch(() => {})
      .then(() => {
        this.#waitingChecks.delete(folder)
        return this.#compare(folder, isWatched)
      })
    this.#waitingChecks.set(folder, next)
    this.#lastChecks.set(folder, next)
    return next
  }

  /**
   * A drive may get a new device number at a restart. The recordings then wait for a scan, which stores the new number.
   * A folder that was removed from the settings gets no scan, so its number may differ.
   */
  async #compare(folder: string, isWatched: boolean): Promise<boolean> {
    const current = await this.#world.folderAccess.volumeOf(folder)
    const known = this.#world.journal.volumes.volumeOf(folder)
    if (current === null || known === null) return false
    if (!isWatched) return !isOtherDrive(known, current)
    return !isReplaced(known, current) && known.device === current.device
  }
}
