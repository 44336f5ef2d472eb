import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { createStages } from '../../../main/agent/assembly/stages.ts'
import { Watcher } from '../../../main/agent/flow/watch/watcher.ts'
import { type Journal, openJournal, type Recording } from '../../../main/agent/journal/journal.ts'
import { isBusy } from '../../../main/agent/journal/write-lock.ts'
import type { Clock, Log } from '../../../main/agent/ports/clock.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import type { Webhooks } from '../../../main/agent/ports/webhooks.ts'
import { restoreNamesOnScan } from '../../../main/agent/removal/restore-original-name.ts'
import { ConfirmedDrives } from '../../../main/agent/stage/confirmed-drives.ts'
import { createErrorReporter } from '../../../main/agent/stage/error-reporter.ts'
import { createFolderOf } from '../../../main/agent/stage/folder-of.ts'
import { Slots } from '../../../main/agent/stage/slots.ts'
import type { Stage, StageWorld } from '../../../main/agent/stage/stage.ts'
import { VanishedRecordings } from '../../../main/agent/stage/vanished-recordings.ts'
import { reportToStation } from '../../../main/agent/station/service-guard.ts'
import { Station } from '../../../main/agent/station/station.ts'
import { Progress } from '../../../main/agent/status/progress.ts'
import { remainingWork } from '../../../main/cli/remaining-work.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import { type Settings, settingsSchema } from '../../../shared/settings/settings.ts'
import { putEmptyJournal } from '../empty-journal.ts'
import { ModelFileOperations } from './file-operations.ts'
import { ModelFiles } from './files.ts'
import { noMonitoring } from './no-monitoring.ts'
import { noUpdates } from './no-updates.ts'
import { ModelService } from './service.ts'

export const FOLDER = '/recordings'
const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }
const ORIGIN = 'https://service.invalid'

/** Runs everything that does not wait for the clock. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** The real stages, station and journal. Only `pass` moves the clock. The drive and the service are in memory. */
export class ModelStation {
  readonly service: ModelService
  readonly drive = new ModelFiles(() => this.#nowMs + this.wallShiftMs)
  readonly fileOperations = new ModelFileOperations(this.drive)
  readonly bugs: string[] = []
  /** How long each stage would sleep after its last step if no hint woke it. */
  readonly waits = new Map<string, number>()
  journal!: Journal
  progress!: Progress
  vanished!: VanishedRecordings
  station!: Station
  watcher!: Watcher
  /** A folder event: the watcher scans in its next step. */
  hint: () => void = () => {}
  settings: Settings = settingsSchema.parse({
    service: { base_url: ORIGIN },
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1 }],
    follow: { poll_seconds: 1 },
  })
  readonly #folder: string
  readonly #clock: Clock
  #nowMs = Date.parse('2026-11-15T18:00:00Z')
  #stages: readonly Stage[] = []
  #stop = new AbortController()
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = []
  #keys = 0
  readonly #runningStages = new Set<Stage>()

  readonly #random: () => number
  readonly #wrapClient: (client: ServiceClient) => ServiceClient
  isOnBattery = false
  /** The offset of the PC's wall clock. The monotonic clock does not change. */
  wallShiftMs = 0
  /** This station has no webhook receiver, so a test writes events directly into the journal. */
  readonly webhooks: Webhooks = {
    open: async () => ({ ok: false, reason: 'port-taken', detail: 'simulated' }),
    secrets: () => ['whsec_simulated'],
    board: { listening: null, refused: null },
  }

  constructor(
    options: {
      readonly random?: () => number
      readonly wrapClient?: (client: ServiceClient) => ServiceClient
      /** The journal gets its own folder inside this one. */
      readonly parent?: string
    } = {},
  ) {
    this.#folder = mkdtempSync(path.join(options.parent ?? tmpdir(), 'sluice-model-'))
    this.#random = options.random ?? (() => 0)
    this.#wrapClient = options.wrapClient ?? ((client) => client)
    this.#clock = { wallMs: () => this.#nowMs + this.wallShiftMs, monotonicMs: () => this.#nowMs }
    this.service = new ModelService(() => this.#nowMs)
    putEmptyJournal(this.#folder)
    this.#boot()
  }

  get nowMs(): number {
    return this.#nowMs
  }

  recordings(): Recording[] {
    return this.journal.views.everything()
  }

  areAllProcessed(count: number): boolean {
    const recordings = this.recordings()
    return recordings.length === count && recordings.every(({ state }) => state === 'processed')
  }

  /** The current recording at this path. Throws if there is none. */
  recordingAt(path: string): Recording {
    const recording = this.journal.recordings.currentByPath(path)
    if (recording === null) throw new Error(`no recording at ${path}`)
    return recording
  }

  /** The first recording. Throws if there is none. */
  firstRecording(): Recording {
    const [recording] = this.recordings()
    if (recording === undefined) throw new Error('no recording')
    return recording
  }

  get walFile(): string {
    return path.join(this.#folder, 'journal.db-wal')
  }

  /**
   * Simulates kill -9. Code that still runs can no longer write to the journal, and this class ignores its errors. Of
   * the agent's state, only the journal remains.
   */
  restart(): void {
    this.#stop.abort()
    this.#sleepers = []
    this.journal.close()
    this.drive.forgetRunningHashes()
    this.#boot()
  }

  /**
   * Deletes the database files of the journal, but by default not its markers. Then starts the agent, which creates a
   * new journal. Before the agent creates a session, it searches the service's list of sessions.
   */
  loseJournal(lostFiles = /^journal.*\.db/): void {
    this.#stop.abort()
    this.#sleepers = []
    this.journal.close()
    for (const name of readdirSync(this.#folder))
      if (lostFiles.test(name)) rmSync(path.join(this.#folder, name), { recursive: true })
    this.drive.forgetRunningHashes()
    this.#boot()
  }

  /**
   * Copies the journal as it is now. The returned function puts the copy back and starts the agent, as if a user had
   * restored a snapshot.
   */
  copyJournal(): () => void {
    const copy = mkdtempSync(path.join(this.#folder, 'copy-'))
    const names = () =>
      readdirSync(this.#folder).filter((name) => /^journal/.test(name) && !name.endsWith('-shm'))
    for (const name of names())
      cpSync(path.join(this.#folder, name), path.join(copy, name), { recursive: true })
    return () => {
      this.#stop.abort()
      this.#sleepers = []
      this.journal.close()
      for (const name of names()) rmSync(path.join(this.#folder, name), { recursive: true })
      cpSync(copy, this.#folder, { recursive: true })
      this.drive.forgetRunningHashes()
      this.#boot()
    }
  }

  /** Runs every stage once. */
  async round(): Promise<void> {
    const { journal } = this
    for (const stage of this.#stages) {
      if (this.journal !== journal) return
      // As in the agent, a stage starts no second step while its first one runs.
      if (this.#runningStages.has(stage)) continue
      this.#runningStages.add(stage)
      const step = stage
        .step(this.#stop.signal)
        .then((waitMs) => {
          this.waits.set(stage.name, waitMs)
        })
        .catch((error: unknown) => {
          // As in the agent, a step that finds the journal locked is repeated later.
          if (this.journal === journal && !isBusy(error)) this.bugs.push(String((error as Error).stack))
        })
        .finally(() => this.#runningStages.delete(stage))
      // Does not wait for a step that hangs in a call that never returns.
      await Promise.race([step, settle()])
    }
    await settle()
  }

  async pass(ms: number): Promise<void> {
    this.#nowMs += ms
    const due = this.#sleepers.filter(({ atMs }) => atMs <= this.#nowMs)
    this.#sleepers = this.#sleepers.filter(({ atMs }) => atMs > this.#nowMs)
    for (const { wake } of due) wake()
    await settle()
  }

  /** Runs rounds until the condition holds. Time passes faster when nothing happens. */
  async until(condition: () => boolean, rounds = 400): Promise<boolean> {
    let previous = ''
    let unchangedRounds = 0
    for (let n = 0; n < rounds; n += 1) {
      await this.round()
      if (condition()) return true
      const current = JSON.stringify(this.recordings().map(({ state, partsSent }) => [state, partsSent]))
      unchangedRounds = current === previous ? unchangedRounds + 1 : 0
      previous = current
      await this.pass(unchangedRounds < 6 ? 1_000 : unchangedRounds < 15 ? 30_000 : 600_000)
    }
    return condition()
  }

  close(): void {
    this.#stop.abort()
    this.journal.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** What `run --until-idle` waits for. */
  remainingWork(): ReturnType<typeof remainingWork> {
    const { journal, station, settings, vanished, nowMs } = this
    return remainingWork({
      journal,
      station,
      settings,
      vanished,
      nowMs: () => nowMs,
      watcherOf: () => this.watcher,
      scanned: true,
    })
  }

  closeAndExpectNoBugs(): void {
    this.close()
    expect(this.bugs).toEqual([])
  }

  #boot(): void {
    const { journal } = openJournal(this.#folder, this.#clock.wallMs, linuxPaths)
    this.journal = journal
    journal.recordings.searchWaiting()
    this.progress = new Progress(this.#clock)
    this.vanished = new VanishedRecordings(journal, this.#clock.wallMs())
    this.#stop = new AbortController()
    const station = new Station(journal, this.#clock, this.#random, () => this.settings)
    this.station = station
    const reportError = createErrorReporter({ log: silent, station, journal, endProcess: () => {} })
    const client = reportToStation(this.#wrapClient(this.service.client()), station, this.#clock)
    const world: StageWorld = {
      journal,
      station,
      service: () => client,
      webhooks: this.webhooks,
      monitoring: noMonitoring,
      updates: noUpdates,
      settings: () => this.settings,
      folderOf: createFolderOf(() => this.settings, linuxPaths),
      files: this.drive.files,
      operations: this.fileOperations.operations,
      folderAccess: this.drive.folderAccess,
      hashing: this.drive.hashing,
      runningHashes: this.drive.runningHashes,
      inspection: this.drive.inspectionThread,
      progress: this.progress,
      clock: this.#clock,
      random: this.#random,
      log: silent,
      onBattery: async () => this.isOnBattery,
      newKey: () => `00000000-0000-4000-8000-${String(++this.#keys).padStart(12, '0')}`,
      hostName: 'station',
      paths: linuxPaths,
      dataFolder: this.#folder,
      sessionsWithNewUrls: new Set(),
      vanished: this.vanished,
      slots: new Slots(this.#clock, () => 4),
      throttle: async () => {},
      sleep: (ms, signal) =>
        new Promise((wake) => {
          this.#sleepers.push({ atMs: this.#nowMs + ms, wake })
          signal.addEventListener('abort', () => wake(), { once: true })
        }),
      guard: (where, work) => {
        try {
          work()
        } catch (error) {
          if (this.journal === journal && reportError(error, where) === 'bug')
            this.bugs.push(String((error as Error).stack))
        }
      },
      wake: () => {},
      rescan: () => this.hint(),
    }
    station.setKey('key', ORIGIN)
    const [folder] = this.settings.folders
    if (folder === undefined) throw new Error('no folder')
    const drives = new ConfirmedDrives(world)
    const { clock, log } = world
    this.watcher = new Watcher(folder, {
      journal,
      folderAccess: restoreNamesOnScan(world, this.drive.folderAccess),
      files: drives.filesOf(world.files),
      clock,
      log,
      wake: () => {},
      onState: () => {},
      paths: linuxPaths,
      inner: [],
    })
    this.hint = () => this.watcher.rescan()
    this.#stages = [this.watcher, ...createStages(world, this.drive.hashing, drives)]
  }
}
