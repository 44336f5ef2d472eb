import type { Database } from 'better-sqlite3'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import type { JournalHealth } from '../../../shared/support.ts'
import { backUp } from './backup.ts'
import {
  isDiskFull,
  JournalFullError,
  markSuspect,
  openDatabase,
  openExisting,
  quickCheckBeside,
  rebuildNoted,
  sizes,
} from './database.ts'
import { GivenUpStore } from './given-up-store.ts'
import { PartStore } from './part-store.ts'
import { ReceiptSource } from './receipt-source.ts'
import { RecordingList } from './recording-list.ts'
import { RecordingStore } from './recording-store.ts'
import { StationStore } from './station-store.ts'
import { Views } from './views.ts'
import { WorkQueue } from './work-queue.ts'

export type { GivenUpSession, UnsettledCreation } from './given-up-store.ts'
export type { Part } from './part-store.ts'
export type { ReceiptScope } from './receipt-source.ts'
export type { Recording } from './row.ts'
export type { GrowingFile } from './work-queue.ts'

/** `null`: something about the whole station, or a change made by another process. */
export type ChangeListener = (recordingId: number | null) => void

/** The only truth. Stages meet here and never call each other. */
export class Journal {
  readonly recordings: RecordingStore
  readonly work: WorkQueue
  readonly parts: PartStore
  readonly station: StationStore
  readonly givenUp: GivenUpStore
  readonly views: Views
  readonly list: RecordingList
  readonly receipts: ReceiptSource
  readonly #db: Database
  readonly #dataFolder: string
  readonly #listeners = new Set<ChangeListener>()
  #dataVersion: number

  constructor(db: Database, dataFolder: string, wallMs: () => number, paths: Paths) {
    this.#db = db
    this.#dataFolder = dataFolder
    const changed = (id: number | null) => {
      for (const listener of this.#listeners) listener(id)
    }
    this.recordings = new RecordingStore(db, wallMs, changed, paths)
    this.work = new WorkQueue(db, wallMs)
    this.parts = new PartStore(db, changed)
    this.station = new StationStore(db, wallMs, () => changed(null), paths)
    this.givenUp = new GivenUpStore(db, wallMs, () => changed(null))
    this.views = new Views(db, paths)
    this.list = new RecordingList(db, paths)
    this.receipts = new ReceiptSource(db, this, paths)
    this.#dataVersion = this.#readDataVersion()
  }

  /** Several changes as one; a full disk surfaces as JournalFullError with nothing changed. */
  transaction<T>(work: () => T): T {
    try {
      return this.#db.transaction(work)()
    } catch (error) {
      if (isDiskFull(error)) throw new JournalFullError()
      throw error
    }
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
) => {
  const { db, damage } = openDatabase(dataFolder, wallMs(), paths)
  const journal = new Journal(db, dataFolder, wallMs, paths)
  if (damage !== null) {
    journal.transaction(() => {
      journal.station.setRebuilt(true)
      journal.recordings.lookFirstEverywhere()
    })
    rebuildNoted(dataFolder)
  }
  return { journal, damage }
}

export const openJournalBeside = (
  dataFolder: string,
  wallMs: () => number,
  paths: Paths = pathsOf(process.platform),
): Journal => new Journal(openExisting(dataFolder), dataFolder, wallMs, paths)
