import type { Database } from 'better-sqlite3'
import type { JournalHealth } from '../../../shared/ipc/support.ts'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import { ActivityStore, type NoteListener } from './activity-store.ts'
import { AlertStore } from './alert-store.ts'
import { backUp } from './backup.ts'
import { CommitQueue, type CommitThrottle } from './commit-queue.ts'
import { openDatabase, openExisting } from './database.ts'
import { DeletionStore } from './deletion-store.ts'
import { EventStore } from './event-store.ts'
import { FolderStore } from './folder-store.ts'
import { GivenUpStore } from './given-up-store.ts'
import { InspectionStore } from './inspection-store.ts'
import { isDamaged, isDiskFull, JournalFullError } from './journal-errors.ts'
import { sizes } from './journal-files.ts'
import { clearInUseMarker, clearRebuildingMarker, markSuspect } from './journal-markers.ts'
import { NightStore } from './night-store.ts'
import { PartStore } from './part-store.ts'
import { PastInspections } from './past-inspections.ts'
import { quickCheckInThread } from './quick-check.ts'
import { Rates } from './rates.ts'
import { ReceiptSource } from './receipt-source.ts'
import { RecordingList } from './recording-list.ts'
import { RecordingStore, type StepListener } from './recording-store.ts'
import { RemovalStore } from './removal-store.ts'
import { SendQueue } from './send-queue.ts'
import { savepoint, transaction } from './statements.ts'
import { StationStore } from './station-store.ts'
import { StationValues } from './station-values.ts'
import { TakeStore } from './take-store.ts'
import { TextSearch } from './text-search.ts'
import { Views } from './views.ts'
import { VolumeStore } from './volume-store.ts'
import { WaitStore } from './wait-store.ts'
import { WorkQueue } from './work-queue.ts'
import { isBusy, type WriteLockWatch, waitUntilWritable, watchWriteLock } from './write-lock.ts'

export type { ArchiveCopy } from './archive-copies.ts'
export type { SavedFolderState } from './folder-store.ts'
export type { GivenUpSession, UnsettledCreation } from './given-up-store.ts'
export type { Part } from './part-store.ts'
export type { ReceiptScope } from './receipt-source.ts'
export type { NeededFile, SeenFile } from './recording-queries.ts'
export type { Intent, Removal } from './removal-store.ts'
export type { Recording, RecordingPatch } from './row.ts'
export type { LocalCopy } from './views.ts'
export type { GrowingFile } from './work-queue.ts'

/**
 * Receives the changes by this process. For changes by other processes, see `changedElsewhere`. `recordingId` is null
 * unless the change concerns a single recording. `state`: the state of the recordings that may now be due. Null means
 * any state.
 */
export type ChangeListener = (recordingId: number | null, state: RecordingState | null) => void

/** The single source of truth. Stages communicate through it and never call each other. */
export class Journal {
  readonly recordings: RecordingStore
  readonly work: WorkQueue
  readonly waits: WaitStore
  readonly sendQueue: SendQueue
  readonly parts: PartStore
  readonly station: StationStore
  readonly volumes: VolumeStore
  readonly folders: FolderStore
  readonly givenUp: GivenUpStore
  readonly deletions: DeletionStore
  readonly events: EventStore
  readonly inspections: InspectionStore
  readonly pastInspections: PastInspections
  readonly alerts: AlertStore
  readonly views: Views
  readonly textSearch: TextSearch
  readonly list: RecordingList
  readonly activity: ActivityStore
  readonly rates: Rates
  readonly nights: NightStore
  readonly receipts: ReceiptSource
  readonly removals: RemovalStore
  readonly takes: TakeStore
  readonly #db: Database
  readonly #dataFolder: string
  readonly #listeners = new Set<ChangeListener>()
  readonly #commits: CommitQueue
  #lockWatch: WriteLockWatch | null = null
  /** Log lines and change notifications of the open transaction, delivered after its commit. */
  readonly #pendingLogs: (() => void)[] = []
  readonly #pendingChanges: Parameters<ChangeListener>[] = []
  /** Called after the commit with each new line of a recording's timeline, for the program log. */
  onStep: StepListener | null = null
  /** Called after the commit with each new note of the activity list, for the program log. */
  onNote: NoteListener | null = null
  /** Wraps the log calls of one commit, so that the log can write them as one batch. */
  batchLogs: (writeLogs: () => void) => void = (writeLogs) => writeLogs()
  #dataVersion: number

  constructor(
    db: Database,
    dataFolder: string,
    wallMs: () => number,
    paths: Paths,
    throttle: CommitThrottle | null = null,
  ) {
    this.#db = db
    this.#commits = new CommitQueue({
      transaction: (work) => this.transaction(work),
      savepoint: (work) => this.#withNotifications(() => savepoint(db, work)),
      isFatal: (error) => isDiskFull(error) || isDamaged(error),
      isBusy,
      throttle,
    })
    this.#dataFolder = dataFolder
    const changed: ChangeListener = (id, state) => {
      if (db.inTransaction) this.#defer(this.#pendingChanges, [id, state])
      else this.#notify(id, state)
    }
    const logAfterCommit = (log: () => void): void => {
      if (db.inTransaction) this.#defer(this.#pendingLogs, log)
      else log()
    }
    this.activity = new ActivityStore(db, wallMs, (...note) => logAfterCommit(() => this.onNote?.(...note)))
    this.recordings = new RecordingStore(db, wallMs, changed, paths, this.activity, (...step) =>
      logAfterCommit(() => this.onStep?.(...step)),
    )
    this.work = new WorkQueue(db, wallMs)
    this.waits = new WaitStore(db, wallMs)
    this.sendQueue = new SendQueue(db)
    this.parts = new PartStore(db, (id) => changed(id, 'uploading'))
    this.inspections = new InspectionStore(db, wallMs, changed, paths, this.activity)
    this.pastInspections = new PastInspections(db, paths)
    const stationChanged = () => changed(null, null)
    const stationValues = new StationValues(db, stationChanged)
    this.station = new StationStore(db, stationValues, wallMs, this.activity)
    this.volumes = new VolumeStore(db, stationValues, wallMs, stationChanged, paths, dataFolder)
    this.folders = new FolderStore(db, wallMs, () => changed(null, null), paths, this.activity)
    this.givenUp = new GivenUpStore(db, wallMs, () => changed(null, null))
    this.deletions = new DeletionStore(db, wallMs)
    this.events = new EventStore(db, wallMs, (id) => changed(id, null))
    this.alerts = new AlertStore(db)
    this.views = new Views(db, paths)
    this.textSearch = new TextSearch(db)
    this.list = new RecordingList(db, paths, this.textSearch)
    this.rates = new Rates(db, wallMs, paths)
    this.nights = new NightStore(db, () => changed(null, null), paths)
    this.receipts = new ReceiptSource(db, this, paths)
    this.removals = new RemovalStore(db, wallMs, this, paths)
    this.takes = new TakeStore(db, () => changed(null, null), paths)
    this.#dataVersion = this.#readDataVersion()
  }

  #notify(...change: Parameters<ChangeListener>): void {
    for (const listener of this.#listeners) listener(...change)
  }

  /**
   * Delivers the items after the commit. The microtask runs after the commit, because a transaction always ends in the
   * event-loop turn in which it began.
   */
  #defer<T>(queue: T[], item: T): void {
    if (this.#pendingLogs.length + this.#pendingChanges.length === 0)
      queueMicrotask(() => this.#deliverPending())
    queue.push(item)
  }

  #deliverPending(): void {
    const pendingLogs = this.#pendingLogs.splice(0)
    const pendingChanges = this.#pendingChanges.splice(0)
    if (pendingLogs.length > 0)
      this.batchLogs(() => {
        for (const log of pendingLogs) log()
      })
    if (this.#db.open) for (const change of pendingChanges) this.#notify(...change)
  }

  /**
   * Makes all writes of `work` or none, and commits before it returns. If a transaction is already open, the writes
   * become part of that transaction instead. Use this method inside `commit`, and for short, rare writes whose result
   * the next line needs. Throws if the disk is full (JournalFullError) or another program holds the lock. The journal
   * is then unchanged.
   */
  transaction<T>(work: () => T): T {
    return this.#db.inTransaction ? work() : this.#withNotifications(() => transaction(this.#db, work))
  }

  /**
   * Group commit: the writes of many recordings share one transaction and one disk flush. Use it for writes that happen
   * once per part or per recording. Resolves after the commit. While another program holds the lock, retries for up to
   * two minutes. `work` may run twice, so it must itself read all rows that it needs.
   */
  commit<T>(work: () => T): Promise<T> {
    return this.#commits.run(work)
  }

  /** If `write` throws, SQLite rolls its changes back, and this method drops their notifications. */
  #withNotifications<T>(write: () => T): T {
    const [pendingLogs, pendingChanges] = [this.#pendingLogs.length, this.#pendingChanges.length]
    try {
      return write()
    } catch (error) {
      this.#pendingLogs.length = pendingLogs
      this.#pendingChanges.length = pendingChanges
      if (isDiskFull(error)) throw new JournalFullError()
      throw error
    }
  }

  /** Call at shutdown. Commits then wait only briefly for a locked journal. */
  limitRetriesForShutdown(): void {
    this.#commits.limitRetriesForShutdown()
  }

  /** From now on, a write waits at most 50 ms for another program's lock, and then fails. */
  neverBlock(): void {
    this.#lockWatch = watchWriteLock(this.#db)
  }

  /** Whether the last write failed because of another program's lock. */
  get isLocked(): boolean {
    return this.#lockWatch?.isLocked === true
  }

  /** How often another program has locked the journal since the start. */
  get timesLocked(): number {
    return this.#lockWatch?.times ?? 0
  }

  /** Resolves once a write succeeds again, or when the signal aborts. */
  whenFree(signal: AbortSignal): Promise<void> {
    const probe = () => {
      if (this.#db.open) this.transaction(() => {})
    }
    return waitUntilWritable(probe, signal)
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether another process (a terminal command) has written to the journal since the last call. */
  changedElsewhere(): boolean {
    const version = this.#readDataVersion()
    if (version === this.#dataVersion) return false
    this.#dataVersion = version
    return true
  }

  /** Checks the whole file, so call this only at a user's request, not on every tick. */
  async health(): Promise<JournalHealth> {
    const checkResult = await quickCheckInThread(this.#dataFolder)
    return {
      intact: checkResult === 'ok',
      trouble: checkResult === 'ok' ? null : checkResult,
      ...sizes(this.#dataFolder),
    }
  }

  /** Call when a statement fails because of damage. The next start then checks every page and index. */
  requestFullCheck(): void {
    markSuspect(this.#dataFolder)
  }

  backup(): Promise<void> {
    return backUp(this.#db, this.#dataFolder)
  }

  close(): void {
    this.#db.close()
    clearInUseMarker(this.#dataFolder)
  }

  #readDataVersion(): number {
    return this.#db.pragma('data_version', { simple: true }) as number
  }
}

/** Opens the agent's own journal. Repairs damage and reports it as `damage`. */
export const openJournal = (
  dataFolder: string,
  wallMs: () => number,
  paths: Paths = pathsOf(process.platform),
  throttle: CommitThrottle | null = null,
) => {
  const { db, damage, lacksSchemaBackup } = openDatabase(dataFolder, wallMs(), paths)
  const journal = new Journal(db, dataFolder, wallMs, paths, throttle)
  if (damage !== null) {
    journal.transaction(() => {
      journal.volumes.forgetListings()
      journal.recordings.findSessionsFirst()
    })
    clearRebuildingMarker(dataFolder)
  }
  journal.volumes.saveFirstSeen()
  journal.neverBlock()
  return { journal, damage, lacksSchemaBackup }
}

/** A second connection, for terminal commands that may run next to the agent. */
export const openJournalForCommand = (
  dataFolder: string,
  wallMs: () => number,
  paths: Paths = pathsOf(process.platform),
): Journal => new Journal(openExisting(dataFolder), dataFolder, wallMs, paths)
