import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { FolderStatus, Problem } from '../../../../shared/status/status.ts'
import { arrivedSince } from '../../domain/arrival.ts'
import { movedFile, sameFile } from '../../domain/file-identity.ts'
import { type FoundProblem, isLeftOut, leftOutProblems, wholeFolder } from '../../domain/folder-problems.ts'
import { noHold, problemOf } from '../../domain/problems.ts'
import { hintedLookMs, lookCostMs, unaskedLookMs } from '../../domain/scan-interval.ts'
import { isHashed, needsFile } from '../../domain/states.ts'
import type { Journal, NeededFile, Recording } from '../../journal/journal.ts'
import type { Clock, Log } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'
import type { FolderEyes, FoundFile, Listening, ScanResult } from '../../ports/folders.ts'
import { processedTwin, shareWithVanished } from '../../sessions/same-content.ts'
import { isAsItWas, type Sighting, sightingsOf } from './match-scanned-files.ts'
import { TouchedFiles } from './touched-files.ts'

const HEARTBEAT_MS = 15_000
/** A folder that somebody removes is often made anew at once, and nothing announces that: it is asked for in short order. */
const JUST_GONE = { forMs: 60_000, againMs: 1_000 } as const
const FILES_PER_TRANSACTION = 200
/** So many new files in one look may have overflowed the system's queue: more can be there without a hint. */
const BURST_FILES = 200

/** The system's limits are mended while Sluice runs: it tries to listen again this often. */
const LISTEN_AGAIN_MS = 60_000

/** Lets everything else have its turn between two batches. */
const yieldToLoop = () => new Promise((resolve) => setImmediate(resolve))

type Dependencies = {
  readonly journal: Journal
  readonly eyes: FolderEyes
  readonly files: Files
  readonly clock: Clock
  readonly log: Log
  readonly wake: () => void
  /** The folder's state is another, which no journal entry tells. */
  readonly onState: () => void
  readonly paths: Paths
  /** Folders inside this one that are watched with settings of their own: their files are theirs. */
  readonly inner: readonly string[]
}

export type WatchedState = Pick<FolderStatus, 'state' | 'problem'>

/**
 * One folder. Events are hints, scans are the truth: a burst of files overflows the system's queue silently,
 * and a share sends no events at all.
 */
export class Watcher {
  readonly name: string
  /** Folders have their own rhythm: the journal wakes none of them. */
  readonly takes = []
  readonly folder: FolderSettings
  readonly #deps: Dependencies
  #listening: Listening | null = null
  #watched: string | null = null
  #hinted = true
  readonly #touched: TouchedFiles
  /** Whether the system announces what happens: by the kind of its drive, or as seen since it is listened to. */
  #announces = false
  #lastScanAtMs = Number.NEGATIVE_INFINITY
  #lookCostMs = 0
  #state: WatchedState = { state: 'scanning', problem: null }
  #hintProblem: Problem | null = null
  #listenAgainAtMs = Number.POSITIVE_INFINITY
  #scans = 0
  #lostAtMs: number | null = null
  #scanning = false
  #processedHere: ReadonlyMap<string, number> | null = null

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

  /** Whether the folder has been looked through since the start (or cannot be). */
  get looked(): boolean {
    return this.#scans > 0 && !this.#hinted && !this.#scanning && this.#touched.size === 0
  }

  /** Of the files that the last look found: what this service has processed. Null before the first look. */
  bytesProcessedBy(service: string): number | null {
    return this.#processedHere === null ? null : (this.#processedHere.get(service) ?? 0)
  }

  /** After waking up or a lost event stream: look again soon. */
  rescan(): void {
    this.#hinted = true
    this.#deps.wake()
  }

  async step(signal: AbortSignal): Promise<number> {
    const { clock } = this.#deps
    if (this.#touched.dueInMs === 0 && !(await this.#touched.look())) this.#hinted = true
    const sinceScanMs = clock.monotonicMs() - this.#lastScanAtMs
    const gapMs = hintedLookMs(this.#lookCostMs)
    const unaskedMs = unaskedLookMs(this.#lookCostMs, this.#announces && this.#hintProblem === null)
    const due = sinceScanMs >= (this.#hinted ? gapMs : unaskedMs)
    if (due || !(await this.#present())) await this.#look(signal)
    if (this.#hinted) return Math.max(gapMs - (clock.monotonicMs() - this.#lastScanAtMs), 10)
    return this.#touched.dueInMs ?? (this.#isJustGone() ? JUST_GONE.againMs : HEARTBEAT_MS)
  }

  async close(): Promise<void> {
    await this.#listening?.close()
    this.#listening = null
    this.#watched = null
  }

  #isJustGone(): boolean {
    if (this.#lostAtMs === null || this.#state.state !== 'offline') return false
    return Math.abs(this.#deps.clock.wallMs() - this.#lostAtMs) < JUST_GONE.forMs
  }

  /** A folder that is unmounted and comes back sends no event: device and inode tell. */
  async #present(): Promise<boolean> {
    const volume = await this.#deps.eyes.volumeOf(this.folder.path)
    return volume !== null && `${volume.device}:${volume.inode}` === this.#watched
  }

  async #look(signal: AbortSignal): Promise<void> {
    this.#scanning = true
    this.#hinted = false
    this.#touched.clear()
    try {
      await this.#scan(signal)
    } catch (error) {
      // What was announced has not been seen yet.
      this.#hinted = true
      if (!signal.aborted) throw error
    } finally {
      this.#scanning = false
    }
  }

  async #scan(signal: AbortSignal): Promise<void> {
    const { clock, eyes, journal, log } = this.#deps
    const startedAtMs = clock.monotonicMs()
    // What comes while a large folder is looked through was not there before Sluice.
    const lookedAtMs = clock.wallMs()
    let seen = { known: 1, added: 0 }
    // Who may not read a folder may not listen to it either, and would be told so at every look.
    const isNew = this.#lostAtMs === null && (await this.#listen())
    const enter = this.#listening?.enter ?? null
    const result = await eyes.scan(this.folder, signal, enter ?? undefined)
    if (signal.aborted) return
    switch (result.kind) {
      case 'offline':
        await this.#away('offline', problemOf('folder-offline'))
        break
      case 'unusable':
        await this.#away('unusable', problemOf('folder-unreadable', { detail: result.detail }))
        break
      case 'scanned': {
        const known = journal.station.volumeOf(this.folder.path)
        const { device, inode } = result.volume
        // The folder itself is known again by inode and birth time, whatever device number the system gave its
        // drive this time. Another folder on the same drive was made anew by somebody; on another drive it is a
        // stranger: not one file of it is taken, and not one of ours is called vanished.
        if (known !== null && known.inode !== '' && known.inode !== inode && known.device !== device) {
          await this.#away('replaced', problemOf('folder-replaced'))
          break
        }
        if (known?.device !== device || known.inode !== inode)
          journal.station.setVolume(this.folder.path, result.volume, lookedAtMs)
        const added = await this.#take(result, known?.firstSeenAtMs ?? lookedAtMs)
        seen = { known: result.files.length - added, added }
        if (added >= BURST_FILES) this.#hinted = true
        // Between the look and the first event a file may have come: look once more. Where nobody listens yet, that look
        // begins with it.
        if (this.#listening === null || (enter === null && isNew)) this.#hinted = true
        if (enter !== null && this.#listenAgainAtMs === Number.POSITIVE_INFINITY) this.#hintProblem = null
        this.#isNow('watching', this.#problemsOf(result))
        this.#noteBack()
      }
    }
    this.#scans += 1
    this.#lastScanAtMs = clock.monotonicMs()
    const announces = this.#announces && this.#state.state === 'watching'
    this.#lookCostMs = lookCostMs(this.#lastScanAtMs - startedAtMs, { ...seen, announces })
    if (this.#scans === 1) log.info('folder scanned', { folder: this.folder.path, state: this.#state.state })
  }

  /** The journal keeps every problem. Answers whether the state is a different one, which is then published. */
  #isNow(state: FolderStatus['state'], problems: readonly FoundProblem[]): boolean {
    const isDifferent = this.#state.state !== state
    this.#state = { state, problem: problems[0]?.problem ?? null }
    if (isDifferent) this.#deps.onState()
    // A journal that cannot be written now gets it from the next scan.
    this.#deps.journal.folders.keep(this.folder.path, state, problems)
    return isDifferent
  }

  /** Missing means offline, never deleted: the recordings keep their states. */
  async #away(state: FolderStatus['state'], problem: Problem): Promise<void> {
    await this.close()
    const { clock, journal } = this.#deps
    // Only a complete scan shows that nothing is left out any more.
    const leftOut = journal.folders
      .of(this.folder.path)
      ?.problems.filter((one) => isLeftOut(one.problem.code))
    if (!this.#isNow(state, [wholeFolder(problem), ...(leftOut ?? [])])) return
    this.#lostAtMs ??= clock.wallMs()
    journal.activity.note({ kind: 'folder-lost', folder: this.folder.path, state })
  }

  #noteBack(): void {
    if (this.#lostAtMs === null) return
    const since = new Date(this.#lostAtMs).toISOString()
    this.#lostAtMs = null
    this.#deps.journal.activity.note({ kind: 'folder-back', folder: this.folder.path, since })
  }

  #problemsOf(result: Extract<ScanResult, { kind: 'scanned' }>): FoundProblem[] {
    const unreadableNames = result.unreadableNames.map((name) =>
      this.#deps.paths.join(this.folder.path, name),
    )
    const leftOut = leftOutProblems({ ...result, unreadableNames })
    return this.#hintProblem === null ? leftOut : [...leftOut, wholeFolder(this.#hintProblem)]
  }

  /** True where it began just now. Nobody listens to a folder that is not there: the look says why. */
  async #listen(): Promise<boolean> {
    const { clock, eyes, log } = this.#deps
    const volume = await eyes.volumeOf(this.folder.path)
    if (volume === null) return false
    const identity = `${volume.device}:${volume.inode}`
    if (this.#watched === identity && clock.monotonicMs() < this.#listenAgainAtMs) return false
    await this.close()
    const sharing = await eyes.sharing(this.folder.path)
    this.#watched = identity
    this.#announces = sharing === 'own'
    this.#listenAgainAtMs = Number.POSITIVE_INFINITY
    let failed = false
    this.#listening = eyes.watch(
      this.folder,
      {
        ready: () => {
          if (!failed && this.#hintProblem !== null) {
            this.#hintProblem = null
            this.rescan()
          }
        },
        hint: (path) => {
          this.#announces = sharing !== 'shared'
          this.#touched.add(path)
          this.#deps.wake()
        },
        error: (detail) => {
          failed = true
          this.#hintProblem = problemOf('folder-not-watched', { detail })
          this.#listenAgainAtMs = clock.monotonicMs() + LISTEN_AGAIN_MS
          log.warn('folder events failed; scanning instead', { folder: this.folder.path, detail })
          this.rescan()
        },
      },
      sharing,
    )
    return true
  }

  /** How many recordings were new. */
  async #take(result: Extract<ScanResult, { kind: 'scanned' }>, firstSeenAtMs: number): Promise<number> {
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
      const some = wanted.slice(from, from + FILES_PER_TRANSACTION)
      const seen = journal.recordings.seenBefore(some.map((file) => file.path))
      const news = some.filter((file, index) => !isAsItWas(file, seen[index], processed))
      if (news.length > 0) {
        const batch = await sightingsOf(news, present(), this.#deps)
        journal.transaction(() => {
          for (const sighting of batch) if (this.#observe(sighting, processed)) added += 1
        })
      }
      await yieldToLoop()
    }
    this.#processedHere = processed
    const blindSpotOf = paths.finder(result.unreadablePaths.map((entry) => entry.path))
    const missing = journal.recordings
      .neededIn(this.folder.path)
      .filter((row) => !present().has(row.path) && blindSpotOf(row.path) === null)
    for (let from = 0; from < missing.length; from += FILES_PER_TRANSACTION)
      await this.#vanished(missing.slice(from, from + FILES_PER_TRANSACTION))
    return added
  }

  /** What was in the folder and is not any more. */
  async #vanished(rows: readonly NeededFile[]): Promise<void> {
    const { journal, files } = this.#deps
    const there = await Promise.all(rows.map((row) => files.exists(row.path)))
    journal.transaction(() => {
      rows.forEach((row, index) => {
        if (there[index]) return
        // The folder that it was moved to may have been looked through meanwhile.
        if (journal.recordings.currentByPath(row.path)?.id !== row.id) return
        if (this.#isSafeElsewhere(row.id)) return
        journal.recordings.transition(
          row.id,
          row.state,
          { kind: 'vanished' },
          { reason: 'the file is no longer in the folder', patch: { problem: problemOf('file-vanished') } },
        )
      })
    })
  }

  /** Read to the end, and the very same bytes are processed: nobody has to look for the file. */
  #isSafeElsewhere(id: number): boolean {
    const { journal } = this.#deps
    const vanished = journal.recordings.byId(id)
    if (vanished === null || !isHashed(vanished.state)) return false
    const twin = processedTwin(journal, vanished)
    if (twin !== undefined) shareWithVanished(journal, vanished, twin)
    return twin !== undefined
  }

  /** True for a recording that the journal did not have. Counts the bytes that are processed, by their service. */
  #observe({ file, spelledOtherwise, movedFrom }: Sighting, processed: Map<string, number>): boolean {
    const { recordings, station } = this.#deps.journal
    // By its own spelling, read anew: meanwhile another content may have taken its place.
    const known = recordings.currentByPath(spelledOtherwise?.path ?? file.path)
    // Sluice took the file that was here: whatever is here now is another one, and known by its content alone.
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
    // Read anew: since its old path was found empty, that folder's watcher may have called it vanished.
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
    // Its recorder went on writing: under its new name it is what a change under the old one would have made it.
    else if (!movedFile(recording.identity, file.identity)) this.#changed(recording, file)
    // Another name or place may be what was asked for.
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
    // The settler and the hasher notice by themselves; they know how far they are.
    if (known.state === 'hashing') return
    if (needsFile(known.state)) {
      recordings.transition(known.id, known.state, { kind: 'changed' }, { reason: 'the file changed', patch })
      return
    }
    // Only a changed time on bytes that are safe: a copy tool or a permission change, not new content.
    if (movedFile(known.identity, file.identity)) {
      recordings.patch(known.id, patch)
      return
    }
    recordings.supersede(known.id)
    recordings.add(file, this.folder, { lookFirst: station.rebuilt() })
  }
}
