import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { Problem } from '../../../../shared/status/problem.ts'
import type { FolderStatus } from '../../../../shared/status/status.ts'
import { type FoundProblem, leftOutProblems, problemWithoutPath } from '../../domain/folder-problems.ts'
import { problemOf } from '../../domain/problems.ts'
import { driveToStore, isReplaced } from '../../domain/same-drive.ts'
import { eventScanIntervalMs, scanCostMs, scanIntervalMs } from '../../domain/scan-interval.ts'
import { takeOf } from '../../domain/takes.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Clock, Log } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'
import type { FolderAccess, ScanResult } from '../../ports/folders.ts'
import { isBug } from '../../stage/error-reporter.ts'
import { FolderEvents } from './folder-events.ts'
import { FolderPresence, type WatchedState } from './folder-presence.ts'
import { recordScan } from './record-scan.ts'
import { TouchedFiles } from './touched-files.ts'

/**
 * Hard case: New content at a path whose old content may be complete at the service.
 * The new content becomes a new recording. The old recording continues, and Sluice never deletes a session
 * that may be complete.
 */

/**
 * Hard case: A file arrives while its folder is being scanned.
 * The watcher starts to watch the folder before the scan reads it, or scans once more after the watch is ready. The
 * event queue may overflow silently. So a scan that finds many new files triggers another scan, and periodic scans
 * never stop.
 */

/**
 * Hard case: A new file appears at the path of a removed file, or a user puts a removed file back.
 * The file becomes a new recording. If its content is that of the old recording, Sluice handles it like any other
 * duplicate.
 */

/**
 * Hard case: The data folder was lost, and folders are added one after another.
 * A file that is new to the journal may already have a session. So until its folder has been listed once, Sluice
 * searches for this session before it creates one.
 */

/**
 * Hard case: The data folder was lost, and a drive is connected after the first scan.
 * Sluice also searches for the session of each file that is older than the first complete scan of its folder. Examples
 * are files of a subfolder that could not be read, and files of a card that a different station uploaded.
 */

/**
 * Hard case: The data folder is rolled back: a snapshot of a stopped virtual machine, a disk image, a restored copy.
 * The old journal is intact, but the latest uploads are missing from it. So Sluice also searches for a session in three
 * cases: an unknown file is older than the start of the agent, a recording waited without a session at the start, or a
 * file changed.
 */

/**
 * Hard case: The journal is lost or rolled back, and a file's mtime is ahead of the clock.
 * A card may store local time, or the clock of a share may be wrong. So the mtime does not prove that the file is new,
 * and Sluice searches for the file's session. If the file arrived after the first complete scan of its folder, Sluice
 * searches only the sessions of the last day. It then uploads the file even if the service refuses to list sessions.
 */

const PRESENCE_CHECK_INTERVAL_MS = 15_000
const RECENTLY_GONE_PROBE_INTERVAL_MS = 1_000
/**
 * A scan that finds at least this many new files triggers one more scan, because their events may have overflowed the
 * event queue silently.
 */
const BURST_FILES = 200

type Dependencies = {
  readonly journal: Journal
  readonly folderAccess: FolderAccess
  readonly files: Files
  readonly clock: Clock
  readonly log: Log
  readonly wake: () => void
  /** Called when the folder's state changes, because the journal does not report that. */
  readonly onState: () => void
  readonly paths: Paths
  /** Folders inside this one that have their own settings and watchers. This watcher ignores their files. */
  readonly inner: readonly string[]
}

type ScanCounts = { readonly known: number; readonly added: number }

/**
 * Watches one folder and decides when to scan it. Events are only hints: the event queue may overflow silently, and a
 * share may send no events at all. Only scans are reliable.
 */
export class Watcher {
  readonly name: string
  /** Watchers have their own schedule; no state of a recording wakes them. */
  readonly states = []
  readonly folder: FolderSettings
  readonly #deps: Dependencies
  readonly #events: FolderEvents
  readonly #presence: FolderPresence
  readonly #touched: TouchedFiles
  /** Infinity until this run has listed the folder completely. */
  #firstScanAtMs = Number.POSITIVE_INFINITY
  #scanWanted = true
  #scanning = false
  #scans = 0
  #lastScanAtMs = Number.NEGATIVE_INFINITY
  #scanCostMs = 0
  #processedHere: ReadonlyMap<string, number> | null = null
  #filesHere: number | null = null

  constructor(folder: FolderSettings, deps: Dependencies) {
    this.folder = folder
    this.name = `watcher of ${folder.path}`
    this.#deps = deps
    this.#touched = new TouchedFiles(deps)
    this.#presence = new FolderPresence(folder.path, deps)
    this.#events = new FolderEvents(folder, {
      ...deps,
      onHint: (path) => {
        this.#touched.add(path)
        deps.wake()
      },
      rescan: () => this.rescan(),
    })
  }

  get inner(): readonly string[] {
    return this.#deps.inner
  }

  get state(): WatchedState {
    return this.#presence.state
  }

  /** True if this watcher has tried to scan the folder, and no scan or check of events is running or pending. */
  get scanned(): boolean {
    return this.#scans > 0 && !this.#scanWanted && !this.#scanning && this.#touched.size === 0
  }

  /** How many bytes of the last scan's files this service has processed. Null before the first scan. */
  bytesProcessedBy(service: string): number | null {
    return this.#processedHere === null ? null : (this.#processedHere.get(service) ?? 0)
  }

  /** How many files of the last scan this watcher handles. Null before the first scan. */
  get filesHere(): number | null {
    return this.#filesHere
  }

  /** Scans soon, for example after the PC wakes up or events were lost. */
  rescan(): void {
    this.#scanWanted = true
    this.#deps.wake()
  }

  async step(signal: AbortSignal): Promise<number> {
    const { clock } = this.#deps
    if (this.#touched.dueInMs === 0 && !(await this.#touched.check())) this.#scanWanted = true
    const sinceScanMs = clock.monotonicMs() - this.#lastScanAtMs
    const eventIntervalMs = eventScanIntervalMs(this.#scanCostMs)
    const regularIntervalMs = scanIntervalMs(
      this.#scanCostMs,
      this.#events.areSent && this.#events.problem === null,
    )
    const isDue = sinceScanMs >= (this.#scanWanted ? eventIntervalMs : regularIntervalMs)
    if (isDue || !(await this.#isSameFolder())) await this.#runScan(signal)
    if (this.#scanWanted) return Math.max(eventIntervalMs - (clock.monotonicMs() - this.#lastScanAtMs), 10)
    const idleMs = this.#presence.isRecentlyGone
      ? RECENTLY_GONE_PROBE_INTERVAL_MS
      : PRESENCE_CHECK_INTERVAL_MS
    return this.#touched.dueInMs ?? idleMs
  }

  close(): void {
    this.#events.close()
  }

  /** Unmounting and mounting cause no event, so compare device and inode. */
  async #isSameFolder(): Promise<boolean> {
    const volume = await this.#deps.folderAccess.volumeOf(this.folder.path)
    return volume !== null && this.#events.isOf(volume)
  }

  async #runScan(signal: AbortSignal): Promise<void> {
    this.#scanning = true
    this.#scanWanted = false
    this.#touched.clear()
    try {
      await this.#scan(signal)
    } catch (error) {
      // The scan failed, so the pending events are not handled yet.
      this.#scanWanted = true
      if (!signal.aborted) throw error
    } finally {
      this.#scanning = false
    }
  }

  async #scan(signal: AbortSignal): Promise<void> {
    const { clock, log, journal } = this.#deps
    // After a change of the settings, the folder's old watcher may have added files until it stopped. Assign them to
    // their takes now, even if the folder is offline.
    if (this.#scans === 0) journal.takes.assign(this.folder)
    const startedAtMs = clock.monotonicMs()
    // Files that arrive during a long first scan count as new, so read the clock before the scan.
    const scanStartedAtMs = clock.wallMs()
    const read = await this.#readAndApply(scanStartedAtMs, signal)
    if (read === null) return
    const { result, counts } = read
    this.#scans += 1
    this.#lastScanAtMs = clock.monotonicMs()
    const isThere = this.state.state === 'watching'
    if (isThere && result.kind === 'scanned') await this.#events.start(result.volume, result.files.length)
    const sendsEvents = this.#events.areSent && isThere
    this.#scanCostMs = scanCostMs(this.#lastScanAtMs - startedAtMs, { ...counts, sendsEvents })
    if (this.#scans === 1) log.info('folder scanned', { folder: this.folder.path, state: this.state.state })
  }

  /**
   * Null if the signal aborts. After an unexpected error, the folder shows a problem until a scan succeeds. If the
   * cause is a locked, full or damaged journal, the folder shows no problem.
   */
  async #readAndApply(
    scanStartedAtMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly result: ScanResult; readonly counts: ScanCounts } | null> {
    try {
      const { folderAccess } = this.#deps
      const result = await folderAccess.scan(this.folder, signal, this.#events.enter ?? undefined)
      return signal.aborted ? null : { result, counts: await this.#apply(result, scanStartedAtMs) }
    } catch (error) {
      if (!signal.aborted && isBug(error)) {
        const detail = error instanceof Error ? error.message : String(error)
        this.#setAway('unusable', problemOf('folder-unreadable', { detail }))
      }
      throw error
    }
  }

  async #apply(result: ScanResult, scanStartedAtMs: number): Promise<ScanCounts> {
    switch (result.kind) {
      case 'offline':
        return this.#setAway('offline', problemOf('folder-offline'))
      case 'unusable':
        return this.#setAway('unusable', problemOf('folder-unreadable', { detail: result.detail }))
      case 'scanned': {
        const { volumes } = this.#deps.journal
        const knownVolume = volumes.volumeOf(this.folder.path)
        const { device, inode } = result.volume
        // If a different drive is at this path, add none of its files, and report no recording as vanished.
        if (knownVolume !== null && isReplaced(knownVolume, result.volume))
          return this.#setAway('replaced', problemOf('folder-replaced'))
        const isUnchanged =
          knownVolume?.device === device &&
          knownVolume.inode === inode &&
          knownVolume.drive === driveToStore(knownVolume, result.volume)
        if (!isUnchanged) volumes.setVolume(this.folder.path, result.volume, scanStartedAtMs)
        const listedAtMs = volumes.listedAtMs(this.folder.path)
        const world = { ...this.#deps, folder: this.folder, listedAtMs, firstScanAtMs: this.#firstScanAtMs }
        const { added, processed, files } = await recordScan(
          result,
          volumes.firstSeenAtMs(this.folder.path) ?? scanStartedAtMs,
          world,
        )
        this.#firstScanAtMs = Math.min(this.#firstScanAtMs, scanStartedAtMs)
        this.#processedHere = processed
        this.#filesHere = files
        // If the journal was lost during a removal, the file may keep its hidden name for a day. Until it has its
        // original name again, the folder does not count as listed completely.
        if (listedAtMs === null && !this.#hasUnknownRemovalName(result.removalNames))
          volumes.setListed(this.folder.path, scanStartedAtMs)
        if (added >= BURST_FILES) this.#scanWanted = true
        this.#events.noteScan()
        this.#presence.setPresent(this.#problemsOf(result))
        return { known: result.files.length - added, added }
      }
    }
  }

  #hasUnknownRemovalName(removalNames: readonly string[]): boolean {
    if (removalNames.length === 0) return false
    const { journal, paths } = this.#deps
    // Compare only the names, because the same folder may be watched under a second path. The names are unique.
    const keyOf = (path: string) => paths.key(paths.nameOf(path))
    const knownKeys = new Set(journal.removals.underWay().map(({ removalName }) => keyOf(removalName)))
    return removalNames.some((removalName) => !knownKeys.has(keyOf(removalName)))
  }

  #setAway(state: FolderStatus['state'], problem: Problem): ScanCounts {
    this.#events.close()
    this.#presence.setAway(state, problem)
    return { known: 1, added: 0 }
  }

  #problemsOf(result: Extract<ScanResult, { kind: 'scanned' }>): FoundProblem[] {
    const unreadableNames = result.unreadableNames.map((name) =>
      this.#deps.paths.join(this.folder.path, name),
    )
    const skippedFiles = leftOutProblems(
      { ...result, unreadableNames },
      { mode: this.folder.take, takeOf: (path) => takeOf(this.folder, path, this.#deps.paths) ?? path },
    )
    const { problem } = this.#events
    return problem === null ? skippedFiles : [...skippedFiles, problemWithoutPath(problem)]
  }
}
