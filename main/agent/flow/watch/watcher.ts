import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { FolderStatus, Problem } from '../../../../shared/status/status.ts'
import { arrivedSince } from '../../domain/arrival.ts'
import { movedFile, sameFile } from '../../domain/file-identity.ts'
import { type FoundProblem, isLeftOut, leftOutProblems, wholeFolder } from '../../domain/folder-problems.ts'
import { noHold, problemOf } from '../../domain/problems.ts'
import { FOLDER_EVENTS_RETRY_DELAY_MS } from '../../domain/retry-policy.ts'
import { hintedLookMs, lookCostMs, unaskedLookMs } from '../../domain/scan-interval.ts'
import { isHashed, needsFile } from '../../domain/states.ts'
import type { Journal, NeededFile, Recording } from '../../journal/journal.ts'
import type { Clock, Log } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'
import type { FolderEyes, FolderWatch, FoundFile, ScanResult } from '../../ports/folders.ts'
import { processedTwin, shareWithVanished } from '../../sessions/same-content.ts'
import { isUnchanged, matchScannedFiles, type ScannedFile } from './match-scanned-files.ts'
import { TouchedFiles } from './touched-files.ts'

const HEARTBEAT_MS = 15_000
/** A removed folder is often recreated at once, which causes no event, so probe it often for a while. */
const RECENTLY_GONE = { forMs: 60_000, probeIntervalMs: 1_000 } as const
const FILES_PER_TRANSACTION = 200
/** A burst this large may have overflowed the event queue silently, so it triggers one more scan. */
const BURST_FILES = 200

/** Lets other work run between two batches. */
const yieldToLoop = () => new Promise((resolve) => setImmediate(resolve))

type Dependencies = {
  readonly journal: Journal
  readonly eyes: FolderEyes
  readonly files: Files
  readonly clock: Clock
  readonly log: Log
  readonly wake: () => void
  /** The folder's state has changed. The journal does not announce that. */
  readonly onState: () => void
  readonly paths: Paths
  /** Folders inside this one with settings of their own. Their watchers take their files. */
  readonly inner: readonly string[]
}

export type WatchedState = Pick<FolderStatus, 'state' | 'problem'>

const isDismissed = (journal: Journal, id: number): boolean =>
  journal.recordings.byId(id)?.problem?.endsBy === 'dismissed'

/**
 * Watches one folder. Events are hints, scans are the truth: an overflowing event queue is silent, and a share sends no
 * events at all.
 */
export class Watcher {
  readonly name: string
  /** Watchers have their own schedule; no state of a recording wakes them. */
  readonly takes = []
  readonly folder: FolderSettings
  readonly #deps: Dependencies
  #watching: FolderWatch | null = null
  #watched: string | null = null
  #scanWanted = true
  readonly #touched: TouchedFiles
  /** Whether events are reliable: known from the kind of drive, or because one has arrived. */
  #sendsEvents = false
  #lastScanAtMs = Number.NEGATIVE_INFINITY
  #scanCostMs = 0
  #state: WatchedState = { state: 'scanning', problem: null }
  /** The last state whose note the journal took. */
  #notedState: FolderStatus['state'] = 'scanning'
  #watchProblem: Problem | null = null
  #watchRetryAtMs = Number.POSITIVE_INFINITY
  #scans = 0
  #lostAtMs: number | null = null
  #scanning = false
  #processedHere: ReadonlyMap<string, number> | null = null
  #filesHere: number | null = null

  constructor(folder: FolderSettings, deps: Dependencies) {
    this.folder = folder
    this.name = `watcher of ${folder.path}`
    this.#deps = deps
    this.#touched = new TouchedFiles(deps)
  }

  get inner(): readonly string[] {
    return this.#deps.inner
  }

  get state(): WatchedState {
    return this.#state
  }

  /** Whether the folder has been scanned since the start (or cannot be), and no scan is pending. */
  get scanned(): boolean {
    return this.#scans > 0 && !this.#scanWanted && !this.#scanning && this.#touched.size === 0
  }

  /** Bytes of the last scan's files that this service has processed. Null before the first scan. */
  bytesProcessedBy(service: string): number | null {
    return this.#processedHere === null ? null : (this.#processedHere.get(service) ?? 0)
  }

  /** Files of the last scan. Null before the first scan. */
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
    const gapMs = hintedLookMs(this.#scanCostMs)
    const unaskedMs = unaskedLookMs(this.#scanCostMs, this.#sendsEvents && this.#watchProblem === null)
    const due = sinceScanMs >= (this.#scanWanted ? gapMs : unaskedMs)
    if (due || !(await this.#isSameFolder())) await this.#runScan(signal)
    if (this.#scanWanted) return Math.max(gapMs - (clock.monotonicMs() - this.#lastScanAtMs), 10)
    return this.#touched.dueInMs ?? (this.#isRecentlyGone() ? RECENTLY_GONE.probeIntervalMs : HEARTBEAT_MS)
  }

  async close(): Promise<void> {
    await this.#watching?.close()
    this.#watching = null
    this.#watched = null
  }

  #isRecentlyGone(): boolean {
    if (this.#lostAtMs === null || this.#state.state !== 'offline') return false
    return Math.abs(this.#deps.clock.wallMs() - this.#lostAtMs) < RECENTLY_GONE.forMs
  }

  /** Unmounting and mounting causes no event, so compare device and inode. */
  async #isSameFolder(): Promise<boolean> {
    const volume = await this.#deps.eyes.volumeOf(this.folder.path)
    return volume !== null && `${volume.device}:${volume.inode}` === this.#watched
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
    const { clock, eyes, journal, log } = this.#deps
    const startedAtMs = clock.monotonicMs()
    // Files that arrive during a long first scan count as new, so take the time before it.
    const scanStartedAtMs = clock.wallMs()
    let seen = { known: 1, added: 0 }
    // Watching an unreadable folder would fail and log a warning at every scan.
    const isNew = this.#lostAtMs === null && (await this.#startWatching())
    const enter = this.#watching?.enter ?? null
    const result = await eyes.scan(this.folder, signal, enter ?? undefined)
    if (signal.aborted) return
    switch (result.kind) {
      case 'offline':
        await this.#setAway('offline', problemOf('folder-offline'))
        break
      case 'unusable':
        await this.#setAway('unusable', problemOf('folder-unreadable', { detail: result.detail }))
        break
      case 'scanned': {
        const known = journal.station.volumeOf(this.folder.path)
        const { device, inode } = result.volume
        // The inode identifies the folder, because device numbers change between mounts. A different inode on the same
        // device means that a user recreated the folder. If both differ, a different drive is mounted here: take none of
        // its files, and report none of ours as vanished.
        if (known !== null && known.inode !== '' && known.inode !== inode && known.device !== device) {
          await this.#setAway('replaced', problemOf('folder-replaced'))
          break
        }
        if (known?.device !== device || known.inode !== inode)
          journal.station.setVolume(this.folder.path, result.volume, scanStartedAtMs)
        const added = await this.#recordScan(result, known?.firstSeenAtMs ?? scanStartedAtMs)
        seen = { known: result.files.length - added, added }
        if (added >= BURST_FILES) this.#scanWanted = true
        // A file may have arrived between this scan and the first event, so scan once more. If watching has not started
        // yet, the next scan starts it.
        if (this.#watching === null || (enter === null && isNew)) this.#scanWanted = true
        if (enter !== null && this.#watchRetryAtMs === Number.POSITIVE_INFINITY) this.#watchProblem = null
        this.#setState('watching', this.#problemsOf(result), () => {})
        this.#noteBack()
      }
    }
    this.#scans += 1
    this.#lastScanAtMs = clock.monotonicMs()
    const announces = this.#sendsEvents && this.#state.state === 'watching'
    this.#scanCostMs = lookCostMs(this.#lastScanAtMs - startedAtMs, { ...seen, announces })
    if (this.#scans === 1) log.info('folder scanned', { folder: this.folder.path, state: this.#state.state })
  }

  /** The journal keeps every problem, and the note of a new state with it. A locked journal gets both from the next scan. */
  #setState(state: FolderStatus['state'], problems: readonly FoundProblem[], note: () => void): void {
    const { journal, onState } = this.#deps
    const isDifferent = this.#state.state !== state
    this.#state = { state, problem: problems[0]?.problem ?? null }
    if (isDifferent) onState()
    journal.transaction(() => {
      journal.folders.keep(this.folder.path, state, problems)
      if (this.#notedState !== state) note()
    })
    this.#notedState = state
  }

  /** Missing means offline, never deleted: the recordings keep their states. */
  async #setAway(state: FolderStatus['state'], problem: Problem): Promise<void> {
    await this.close()
    const { clock, journal } = this.#deps
    // Keep these problems: only a complete scan shows that nothing is left out any more.
    const leftOut = journal.folders
      .of(this.folder.path)
      ?.problems.filter((one) => isLeftOut(one.problem.code))
    const since = this.#lostAtMs ?? clock.wallMs()
    this.#setState(state, [wholeFolder(problem), ...(leftOut ?? [])], () =>
      journal.activity.note({ kind: 'folder-lost', folder: this.folder.path, state }),
    )
    this.#lostAtMs = since
  }

  #noteBack(): void {
    if (this.#lostAtMs === null) return
    const since = new Date(this.#lostAtMs).toISOString()
    this.#deps.journal.activity.note({ kind: 'folder-back', folder: this.folder.path, since })
    this.#lostAtMs = null
  }

  #problemsOf(result: Extract<ScanResult, { kind: 'scanned' }>): FoundProblem[] {
    const unreadableNames = result.unreadableNames.map((name) =>
      this.#deps.paths.join(this.folder.path, name),
    )
    const leftOut = leftOutProblems({ ...result, unreadableNames })
    return this.#watchProblem === null ? leftOut : [...leftOut, wholeFolder(this.#watchProblem)]
  }

  /** True if watching started just now. Does nothing for a missing folder; the scan reports why it is missing. */
  async #startWatching(): Promise<boolean> {
    const { clock, eyes, log } = this.#deps
    const volume = await eyes.volumeOf(this.folder.path)
    if (volume === null) return false
    const identity = `${volume.device}:${volume.inode}`
    if (this.#watched === identity && clock.monotonicMs() < this.#watchRetryAtMs) return false
    await this.close()
    const sharing = await eyes.sharing(this.folder.path)
    this.#watched = identity
    this.#sendsEvents = sharing === 'own'
    this.#watchRetryAtMs = Number.POSITIVE_INFINITY
    let failed = false
    this.#watching = eyes.watch(
      this.folder,
      {
        ready: () => {
          if (!failed && this.#watchProblem !== null) {
            this.#watchProblem = null
            this.rescan()
          }
        },
        hint: (path) => {
          this.#sendsEvents = sharing !== 'shared'
          this.#touched.add(path)
          this.#deps.wake()
        },
        error: (detail) => {
          failed = true
          this.#watchProblem = problemOf('folder-not-watched', { detail })
          this.#watchRetryAtMs = clock.monotonicMs() + FOLDER_EVENTS_RETRY_DELAY_MS
          log.warn('folder events failed; scanning instead', { folder: this.folder.path, detail })
          this.rescan()
        },
      },
      sharing,
    )
    return true
  }

  /** Updates the journal with the scan and returns the number of new recordings. */
  async #recordScan(
    result: Extract<ScanResult, { kind: 'scanned' }>,
    firstSeenAtMs: number,
  ): Promise<number> {
    const { journal, paths } = this.#deps
    let added = 0
    const processed = new Map<string, number>()
    let listed: ReadonlySet<string> | null = null
    const present = () => {
      listed ??= new Set(result.files.map((file) => file.path))
      return listed
    }
    const innerOf = paths.finder(this.#deps.inner)
    const own =
      this.#deps.inner.length === 0
        ? result.files
        : result.files.filter((file) => innerOf(file.path) === null)
    const wanted = this.folder.ignore_existing
      ? own.filter((file) => arrivedSince(file.identity, firstSeenAtMs))
      : own
    for (let from = 0; from < wanted.length; from += FILES_PER_TRANSACTION) {
      const chunk = wanted.slice(from, from + FILES_PER_TRANSACTION)
      const seen = journal.recordings.seenBefore(chunk.map((file) => file.path))
      const changed = chunk.filter((file, index) => !isUnchanged(file, seen[index], processed))
      if (changed.length > 0) {
        const batch = await matchScannedFiles(changed, present(), this.#deps)
        journal.transaction(() => {
          for (const scanned of batch) if (this.#observe(scanned, processed)) added += 1
        })
      }
      await yieldToLoop()
    }
    this.#processedHere = processed
    this.#filesHere = wanted.length
    const unreadableOf = paths.finder(result.unreadablePaths.map((entry) => entry.path))
    const missing = journal.recordings
      .neededIn(this.folder.path)
      .filter((row) => !present().has(row.path) && unreadableOf(row.path) === null)
    for (let from = 0; from < missing.length; from += FILES_PER_TRANSACTION)
      await this.#markVanished(missing.slice(from, from + FILES_PER_TRANSACTION))
    return added
  }

  async #markVanished(rows: readonly NeededFile[]): Promise<void> {
    const { journal, files } = this.#deps
    const there = await Promise.all(rows.map((row) => files.exists(row.path)))
    journal.transaction(() => {
      rows.forEach((row, index) => {
        if (there[index]) return
        // The watcher of a different folder may have found the moved file meanwhile.
        if (journal.recordings.currentByPath(row.path)?.id !== row.id) return
        if (this.#isSafeElsewhere(row.id)) return
        journal.recordings.transition(
          row.id,
          row.state,
          { kind: 'vanished' },
          {
            reason: 'the file is no longer in the folder',
            // A dismissed file may be deleted: nobody waits for it.
            patch: { problem: isDismissed(journal, row.id) ? null : problemOf('file-vanished') },
          },
        )
      })
    })
  }

  /** The content was hashed, and the same bytes are processed, so the missing file needs no attention. */
  #isSafeElsewhere(id: number): boolean {
    const { journal } = this.#deps
    const vanished = journal.recordings.byId(id)
    if (vanished === null || !isHashed(vanished.state)) return false
    const twin = processedTwin(journal, vanished)
    if (twin !== undefined) shareWithVanished(journal, vanished, twin)
    return twin !== undefined
  }

  /** True for a new recording. Adds up the bytes of processed files by service. */
  #observe({ file, otherSpelling, movedFrom }: ScannedFile, processed: Map<string, number>): boolean {
    const { recordings, station } = this.#deps.journal
    // Read again: new content may have replaced the recording since the match.
    const known = recordings.currentByPath(otherSpelling?.path ?? file.path)
    // Sluice removed the file that was here, so this is a new one. Only its hash can show that it is the same content.
    if (known !== null && known.removedAtMs !== null) {
      recordings.supersede(known.id)
      recordings.add(file, this.folder, { lookFirst: station.rebuilt() })
      return true
    }
    if (known !== null) {
      if (!sameFile(known.identity, file.identity) || known.state === 'gone') this.#changed(known, file)
      else if (known.state === 'processed' && known.problem === null && known.service !== null)
        processed.set(known.service, (processed.get(known.service) ?? 0) + file.identity.sizeBytes)
      return false
    }
    // Read again: the watcher of its old folder may have marked it as vanished meanwhile.
    const moved = movedFrom === null ? null : recordings.byId(movedFrom.id)
    if (moved !== null && movedFrom !== null && this.#deps.paths.same(moved.path, movedFrom.path)) {
      this.#moved(moved, file)
      return false
    }
    recordings.add(file, this.folder, { lookFirst: station.rebuilt() })
    return true
  }

  #moved(recording: Recording, file: FoundFile): void {
    const { recordings } = this.#deps.journal
    recordings.move(recording, file, this.folder)
    if (recording.state === 'gone')
      recordings.transition(recording.id, 'gone', { kind: 'reappeared' }, { reason: 'the file is back' })
    // Renamed and also changed: treat it like a change.
    else if (!movedFile(recording.identity, file.identity)) this.#changed(recording, file)
    // The new name or folder may fix the problem, so retry.
    else if (recording.problem?.endsBy === 'file' || recording.problem?.code === 'placeholder-unfilled')
      recordings.patch(recording.id, noHold)
  }

  #changed(known: Recording, file: FoundFile): void {
    const { recordings, station } = this.#deps.journal
    const patch = { identity: file.identity }
    if (known.state === 'gone') {
      recordings.transition(known.id, 'gone', { kind: 'reappeared' }, { reason: 'the file is back', patch })
      return
    }
    if (known.state === 'growing') {
      recordings.patch(known.id, { ...patch, ...noHold })
      return
    }
    // The hasher notices the change itself and starts over.
    if (known.state === 'hashing') return
    if (needsFile(known.state)) {
      recordings.transition(known.id, known.state, { kind: 'changed' }, { reason: 'the file changed', patch })
      return
    }
    // Only the time of a safe file changed, by a copy tool or a permission change. The content is the same.
    if (movedFile(known.identity, file.identity)) {
      recordings.patch(known.id, patch)
      return
    }
    recordings.supersede(known.id)
    recordings.add(file, this.folder, { lookFirst: station.rebuilt() })
  }
}
