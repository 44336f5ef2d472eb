import type { Database } from 'better-sqlite3'
import type { JournalHealth } from '../../../shared/ipc/support.ts'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import { ActivityStore, type Told } from './activity-store.ts'
import { AlertStore } from './alert-store.ts'
import { backUp } from './backup.ts'
import { type CommitPace, CommitQueue } from './commit-queue.ts'
import {
  closedAt,
  isDamaged,
  isDiskFull,
  JournalFullError,
  markSuspect,
  openDatabase,
  openExisting,
  quickCheckBeside,
  rebuildNoted,
  sizes,
} from './database.ts'
import { EventStore } from './event-store.ts'
import { FolderStore } from './folder-store.ts'
import { GivenUpStore } from './given-up-store.ts'
import { isBusy, type JournalHold, neverBlockFor, untilFree } from './journal-hold.ts'
import { NightStore } from './night-store.ts'
import { PartStore } from './part-store.ts'
import { Rates } from './rates.ts'
import { ReceiptSource } from './receipt-source.ts'
import { RecordingList } from './recording-list.ts'
import { RecordingStore, type StepTold } from './recording-store.ts'
import { RemovalStore } from './removal-store.ts'
import { SendQueue } from './send-queue.ts'
import { inTransaction } from './statements.ts'
import { StationStore } from './station-store.ts'
import { TextSearch } from './text-search.ts'
import { Views } from './views.ts'
import { WorkQueue } from './work-queue.ts'

export type { MadeCopy } from './archive-copies.ts'
export type { KeptFolder } from './folder-store.ts'
export type { GivenUpSession, UnsettledCreation } from './given-up-store.ts'
export type { Part } from './part-store.ts'
export type { ReceiptScope } from './receipt-source.ts'
export type { NeededFile, SeenFile } from './recording-store.ts'
export type { Intent, Removal } from './removal-store.ts'
export type { Recording, RecordingPatch } from './row.ts'
export type { LocalCopy } from './views.ts'
export type { GrowingFile } from './work-queue.ts'

/** `null`: something about the whole station, or a change made by another process. */
/** `state` is the one that the recording is in now; null where anything may be due that was not before. */
export type ChangeListener = (recordingId: number | null, state: RecordingState | null) => void

/** The only truth. Stages meet here and never call each other. */
export class Journal {
  readonly recordings: RecordingStore
  readonly work: WorkQueue
  readonly sendQueue: SendQueue
  readonly parts: PartStore
  readonly station: StationStore
  readonly folders: FolderStore
  readonly givenUp: GivenUpStore
  readonly events: EventStore
  readonly alerts: AlertStore
  readonly views: Views
  readonly textSearch: TextSearch
  readonly list: RecordingList
  readonly activity: ActivityStore
  readonly rates: Rates
  readonly nights: NightStore
  readonly receipts: ReceiptSource
  readonly removals: RemovalStore
  readonly #db: Database
  readonly #dataFolder: string
  readonly #listeners = new Set<ChangeListener>()
  readonly #commits: CommitQueue
  #hold: JournalHold | null = null
  /** What is said, and who is told, once it is committed. */
  readonly #unsaid: (() => void)[] = []
  readonly #untold: Parameters<ChangeListener>[] = []
  /** Every line of a timeline and every note, once it is committed: for the program's log. */
  onStep: StepTold | null = null
  onNote: Told | null = null
  /** All that one commit has to say is said in one call of this. */
  together: (say: () => void) => void = (say) => say()
  #dataVersion: number

  constructor(
    db: Database,
    dataFolder: string,
    wallMs: () => number,
    paths: Paths,
    pace: CommitPace | null = null,
  ) {
    this.#db = db
    this.#commits = new CommitQueue({
      transaction: (work) => this.#undoable(work),
      endsAll: (error) => isDiskFull(error) || isDamaged(error),
      isBusy,
      pace,
    })
    this.#dataFolder = dataFolder
    const changed: ChangeListener = (id, state) => {
      if (db.inTransaction) this.#later(this.#untold, [id, state])
      else this.#tell(id, state)
    }
    const said = (say: () => void): void => {
      if (db.inTransaction) this.#later(this.#unsaid, say)
      else say()
    }
    this.activity = new ActivityStore(db, wallMs, (...told) => said(() => this.onNote?.(...told)))
    this.recordings = new RecordingStore(db, wallMs, changed, paths, this.activity, (...told) =>
      said(() => this.onStep?.(...told)),
    )
    this.work = new WorkQueue(db, wallMs)
    this.sendQueue = new SendQueue(db)
    this.parts = new PartStore(db, (id) => changed(id, 'uploading'))
    this.station = new StationStore(db, wallMs, () => changed(null, null), paths, this.activity)
    this.folders = new FolderStore(db, wallMs, () => changed(null, null), paths, this.activity)
    this.givenUp = new GivenUpStore(db, wallMs, () => changed(null, null))
    this.events = new EventStore(db, wallMs, (id) => changed(id, null))
    this.alerts = new AlertStore(db)
    this.views = new Views(db, paths)
    this.textSearch = new TextSearch(db)
    this.list = new RecordingList(db, paths, this.textSearch)
    this.rates = new Rates(db, wallMs, paths)
    this.nights = new NightStore(db, () => changed(null, null), paths)
    this.receipts = new ReceiptSource(db, this, paths)
    this.removals = new RemovalStore(db, wallMs, this, paths)
    this.#dataVersion = this.#readDataVersion()
  }

  #tell(...change: Parameters<ChangeListener>): void {
    for (const listener of this.#listeners) listener(...change)
  }

  /** Nobody hears of what is not committed: transactions end in the turn that they begin in. */
  #later<T>(waiting: T[], one: T): void {
    if (this.#unsaid.length + this.#untold.length === 0) queueMicrotask(() => this.#committed())
    waiting.push(one)
  }

  #committed(): void {
    const unsaid = this.#unsaid.splice(0)
    const untold = this.#untold.splice(0)
    if (unsaid.length > 0)
      this.together(() => {
        for (const say of unsaid) say()
      })
    if (this.#db.open) for (const each of untold) this.#tell(...each)
  }

  /** Several changes as one; a full disk surfaces as JournalFullError with nothing changed. Part of one that is open. */
  transaction<T>(work: () => T): T {
    return this.#db.inTransaction ? work() : this.#undoable(work)
  }

  /** Inside another one it is a savepoint: what throws is undone alone, and nobody hears of it. */
  #undoable<T>(work: () => T): T {
    const [unsaid, untold] = [this.#unsaid.length, this.#untold.length]
    try {
      return inTransaction(this.#db, work)
    } catch (error) {
      this.#unsaid.length = unsaid
      this.#untold.length = untold
      if (isDiskFull(error)) throw new JournalFullError()
      throw error
    }
  }

  /** The same, together with what others want written at this moment; kept once the promise is. */
  commit<T>(work: () => T): Promise<T> {
    return this.#commits.run(work)
  }

  /** From now on a write that another program is in the way of fails at once, so that the loop serves others. */
  neverBlock(): void {
    this.#hold = neverBlockFor(this.#db)
  }

  /** Another program was in the way of the last write. */
  get isHeld(): boolean {
    return this.#hold?.isHeld === true
  }

  /** How many times another program has come to hold it since the start. */
  get timesHeld(): number {
    return this.#hold?.times ?? 0
  }

  /** Ends a moment later at the soonest, once the journal can be written, or with the signal. */
  whenFree(signal: AbortSignal): Promise<void> {
    const probe = () => {
      if (this.#db.open) this.transaction(() => {})
    }
    return untilFree(probe, signal)
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** True once after another process (a terminal command) has written to the journal. */
  changedElsewhere(): boolean {
    const version = this.#readDataVersion()
    if (version === this.#dataVersion) return false
    this.#dataVersion = version
    return true
  }

  /** Reads the whole file: for a person who asks, not for every tick. */
  async health(): Promise<JournalHealth> {
    const answer = await quickCheckBeside(this.#dataFolder)
    return {
      intact: answer === 'ok',
      trouble: answer === 'ok' ? null : answer,
      ...sizes(this.#dataFolder),
    }
  }

  /** A statement met damage: the next start looks at every page and index. */
  suspect(): void {
    markSuspect(this.#dataFolder)
  }

  backup(): Promise<void> {
    return backUp(this.#db, this.#dataFolder)
  }

  close(): void {
    this.#db.close()
    closedAt(this.#dataFolder)
  }

  #readDataVersion(): number {
    return this.#db.pragma('data_version', { simple: true }) as number
  }
}

/** The agent's own journal; damage is mended here and told through `damage`. */
export const openJournal = (
  dataFolder: string,
  wallMs: () => number,
  paths: Paths = pathsOf(process.platform),
  pace: CommitPace | null = null,
) => {
  const { db, damage } = openDatabase(dataFolder, wallMs(), paths)
  const journal = new Journal(db, dataFolder, wallMs, paths, pace)
  if (damage !== null) {
    journal.transaction(() => {
      journal.station.setRebuilt(true)
      journal.recordings.lookFirstEverywhere()
    })
    rebuildNoted(dataFolder)
  }
  journal.neverBlock()
  return { journal, damage }
}

export const openJournalBeside = (
  dataFolder: string,
  wallMs: () => number,
  paths: Paths = pathsOf(process.platform),
): Journal => new Journal(openExisting(dataFolder), dataFolder, wallMs, paths)
