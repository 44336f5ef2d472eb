import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import path from 'node:path'
import { systemClock } from '../../../shared/clock/clock.ts'
import { sleepDetector } from '../../../shared/clock/sleep-detector.ts'
import type { Configuration, SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { RecordingState, Status } from '../../../shared/status/status.ts'
import type { StandingContext } from '../domain/standing.ts'
import { Bandwidth } from '../flow/upload/bandwidth.ts'
import { WatchedFolders } from '../flow/watch/watched-folders.ts'
import type { Watcher } from '../flow/watch/watcher.ts'
import type { ChangeListener, Journal } from '../journal/journal.ts'
import { Monitoring } from '../monitoring/monitoring.ts'
import { createPlatform, type Platform } from '../platform/platform.ts'
import { isOnBattery } from '../platform/power-source.ts'
import { sleepUnlessAborted } from '../platform/process/sleep.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { UpdateInstaller } from '../ports/updates.ts'
import type { WebhookReceiverStatus } from '../ports/webhooks.ts'
import { restoreNamesOnScan } from '../removal/restore-original-name.ts'
import { listenForWebhooks } from '../service/webhook-receiver.ts'
import { ConfirmedDrives } from '../stage/confirmed-drives.ts'
import { createErrorReporter, type ReportError } from '../stage/error-reporter.ts'
import { createFolderOf, type FolderOf } from '../stage/folder-of.ts'
import { PendingWrites } from '../stage/pending-writes.ts'
import { Slots } from '../stage/slots.ts'
import { type RunningStage, runStage, type StageWorld } from '../stage/stage.ts'
import { VanishedRecordings } from '../stage/vanished-recordings.ts'
import { Station } from '../station/station.ts'
import { noteEnd, noteStart } from '../station/station-life.ts'
import { folderStateOf } from '../status/folder-state.ts'
import { Forecaster } from '../status/forecaster.ts'
import { Progress } from '../status/progress.ts'
import { takeSnapshot } from '../status/snapshot.ts'
import type { AgentOptions } from './agent-options.ts'
import { CurrentConfiguration } from './current-configuration.ts'
import { HourlyBackup } from './hourly-backup.ts'
import { openAgentJournal } from './open-agent-journal.ts'
import { RestartCheck } from './restart-check.ts'
import { ServiceLink } from './service-link.ts'
import { createStages } from './stages.ts'
import { createUpdateWorld } from './update-world.ts'

/**
 * Hard case: The PC sleeps.
 * If a clock jumps ahead, or the system reports a resume, the agent drops every connection and wakes every stage.
 */

const TICK_MS = 1_000
/**
 * A tick this late means that the PC slept, the process was stopped, or the clock was set ahead. A busy PC delays a
 * tick by only a second or two.
 */
const SLEEP_THRESHOLD_MS = 15_000

/** Builds the stages and runs them. A start after kill -9 is an ordinary start: there is no separate recovery path. */
export class Agent {
  readonly journal: Journal
  readonly platform: Platform
  readonly station: Station
  readonly progress: Progress
  readonly vanished: VanishedRecordings
  readonly reportError: ReportError
  readonly paths = pathsOf(process.platform)
  readonly recordersInContainer: boolean
  /** Returns the settings of a folder, found by its path in the journal. */
  readonly folderOf: FolderOf
  readonly webhookReceiverStatus: WebhookReceiverStatus = { listening: null, refused: null }
  readonly monitoring: Monitoring
  readonly dataFolder: string
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Log
  readonly #releaseLock: () => void
  readonly #stages: RunningStage[] = []
  readonly #listeners = new Set<ChangeListener>()
  readonly #folders: WatchedFolders
  readonly #drives: ConfirmedDrives
  readonly #ticker: NodeJS.Timeout
  readonly #forecaster: Forecaster
  readonly #sleptMs: () => number
  readonly #configuration = new CurrentConfiguration()
  readonly #writes: PendingWrites
  readonly #link: ServiceLink
  readonly #backup: HourlyBackup
  readonly #restartCheck: RestartCheck | null
  readonly #version: string | null
  readonly #installer: UpdateInstaller | null
  readonly #powerSuppliesFolder: string | undefined
  readonly #damage: { readonly restored: boolean } | null

  constructor(options: AgentOptions) {
    this.dataFolder = path.resolve(options.dataFolder)
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? Math.random
    this.#log = options.log
    this.recordersInContainer = options.recordersInContainer ?? false
    this.#powerSuppliesFolder = options.powerSuppliesFolder
    this.folderOf = createFolderOf(() => this.#configuration.settings, this.paths)
    const opened = openAgentJournal(this.dataFolder, this.#clock, this.paths, this.#log, options.version)
    this.journal = opened.journal
    this.#damage = opened.damage
    this.#releaseLock = opened.releaseLock
    this.#version = options.version ?? null
    this.#installer = options.installer ?? null
    this.platform = createPlatform({
      clock: this.#clock,
      log: this.#log,
      watchedFolders: () => (this.#configuration.settings?.folders ?? []).map((folder) => folder.path),
      paths: this.paths,
      recordersInContainer: this.recordersInContainer,
      knownFolders: () => this.journal.volumes.knownFolders(),
      targetFolders: () => [
        ...(this.#configuration.settings?.folders ?? []).flatMap(({ after_upload }) =>
          after_upload.action === 'move' ? after_upload.to : [],
        ),
        ...this.journal.removals.copies.archives(),
      ],
    })
    this.station = new Station(this.journal, this.#clock, this.#random, () => this.#configuration.settings)
    this.progress = new Progress(this.#clock)
    this.vanished = new VanishedRecordings(this.journal, this.#clock.wallMs())
    this.reportError = createErrorReporter({
      log: this.#log,
      journal: this.journal,
      station: this.station,
      endProcess: () => {
        this.journal.requestFullCheck()
        options.onDamage()
      },
    })
    this.#writes = new PendingWrites(this)
    const needs = {
      writes: this.#writes,
      journal: this.journal,
      station: this.station,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      reportError: this.reportError,
      guard: (where: string, work: () => void) => this.guard(where, work),
    }
    this.#link = new ServiceLink(needs)
    this.#backup = new HourlyBackup(needs)
    this.#restartCheck =
      options.installed == null
        ? null
        : new RestartCheck({
            ...needs,
            installed: options.installed,
            restart: options.restart ?? null,
            prove: options.prove ?? (async () => null),
            status: () => this.status(),
          })
    this.#drives = new ConfirmedDrives({
      journal: this.journal,
      folderAccess: this.platform.folderAccess,
      settings: () => this.#configuration.settings,
      paths: this.paths,
    })
    this.#folders = new WatchedFolders({
      journal: this.journal,
      folderAccess: restoreNamesOnScan(
        { journal: this.journal, ...this.platform, clock: this.#clock, log: this.#log, paths: this.paths },
        this.platform.folderAccess,
      ),
      files: this.#drives.filesOf(this.platform.files),
      clock: this.#clock,
      log: this.#log,
      reportError: this.reportError,
      onState: () => {
        for (const listener of this.#listeners) listener(null, null)
      },
      paths: this.paths,
    })
    this.#forecaster = new Forecaster({
      journal: this.journal,
      station: this.station,
      progress: this.progress,
      clock: this.#clock,
      drives: this.platform.drives,
      settings: () => this.#configuration.settings,
      isWatching: (folder) => this.watcherOf(folder)?.state.state === 'watching',
      bytesSafeIn: (folder, service) => this.watcherOf(folder)?.bytesProcessedBy(service) ?? null,
      guard: (where, work) => this.guard(where, work),
    })
    this.monitoring = new Monitoring(this, this.#clock, this.#version)
    this.#sleptMs = sleepDetector(this.#clock, TICK_MS)
    this.#ticker = setInterval(() => this.guard('the tick', () => this.#tick()), TICK_MS)
  }

  get settings(): Settings | null {
    return this.#configuration.settings
  }

  get service(): ServiceClient | null {
    return this.#link.client
  }

  keyFor(address: string): string | null {
    return this.#configuration.keyFor(address)
  }

  get webhookSecrets(): readonly string[] {
    return this.#configuration.webhookSecrets
  }

  get systemProxy(): SystemProxy {
    return this.#configuration.applied.systemProxy
  }

  start(): void {
    const { journal, platform, station, progress } = this
    this.#writes.write('the start-up', () => {
      noteStart(journal, { version: this.#version, damage: this.#damage })
      journal.station.setSilences([])
      // Many problems may have been fixed while the agent was not running.
      journal.recordings.retryHeld(['settings', 'key', 'file', 'answer'])
      journal.recordings.searchWaiting()
    })
    this.guard('the start-up', () => station.retryWriting())
    const settings = () => this.#configuration.settings
    const bandwidth = new Bandwidth(this.#clock, () => station.limitMbitPerS, sleepUnlessAborted)
    const world: StageWorld = {
      journal,
      station,
      progress,
      settings,
      folderOf: this.folderOf,
      files: platform.files,
      operations: platform.operations,
      folderAccess: platform.folderAccess,
      hashing: platform.hashing,
      runningHashes: platform.runningHashes,
      inspection: platform.inspection,
      service: () => this.#link.client,
      webhooks: {
        open: listenForWebhooks,
        secrets: () => this.webhookSecrets,
        board: this.webhookReceiverStatus,
      },
      monitoring: this.monitoring,
      updates: createUpdateWorld({
        version: this.#version,
        dataFolder: this.dataFolder,
        installer: this.#installer,
        configuration: () => this.#configuration.applied,
        progress,
        clock: this.#clock,
      }),
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      onBattery: async () =>
        this.#configuration.applied.onBattery ?? (await isOnBattery(this.#powerSuppliesFolder)),
      newKey: randomUUID,
      hostName: hostname(),
      paths: this.paths,
      sessionsWithNewUrls: new Set<string>(),
      vanished: this.vanished,
      dataFolder: this.dataFolder,
      slots: new Slots(this.#clock, () => settings()?.transfer.parallel_parts ?? 1),
      throttle: (bytes: number, signal: AbortSignal) => bandwidth.take(bytes, signal),
      sleep: sleepUnlessAborted,
      wake: (state) => this.#wake(state),
      rescan: (folder) => this.watcherOf(folder)?.rescan(),
      guard: (where: string, work: () => void) => this.guard(where, work),
    }
    for (const stage of createStages(world, platform.largeHashing, this.#drives))
      this.#stages.push(runStage(stage, this))
    journal.onChange((_, state) => this.#wake(state))
  }

  async configure(next: Configuration): Promise<void> {
    await this.#configuration.change(next, {
      journal: this.journal,
      station: this.station,
      link: this.#link,
      folders: this.#folders,
      paths: this.paths,
      writes: this.#writes,
    })
    this.#wake(null)
  }

  /** After sleep or a network change: all sockets may be dead, and all folders may have changed. */
  reconnect(reason: string): void {
    this.#log.info('reconnecting', { reason })
    this.#link.client?.reconnect()
    this.monitoring.reconnect()
    this.station.probeNow()
    this.#folders.rescan()
    this.#wake(null)
  }

  nowMs(): number {
    return this.#clock.wallMs()
  }

  get standingContext(): StandingContext {
    return {
      service: this.journal.station.serviceInUse(),
      sending: this.station.mayStartPart(),
      uploadingIds: this.progress.uploadingIds,
      uploadNowIds: this.journal.station.uploadNow()?.recordingIds ?? [],
    }
  }

  status(): Status {
    return takeSnapshot({
      view: this.standingContext,
      journal: this.journal,
      progress: this.progress,
      outlook: this.#forecaster.outlook,
      driveSpace: this.#forecaster.driveSpace(),
      settings: this.settings,
      stop: this.station.stop,
      conditions: this.station.problems,
      reachable: this.station.reachable,
      allowance: this.station.allowance(),
      clockOffsetMs: this.#link.client?.clockOffsetMs() ?? null,
      folderOf: this.folderOf,
      folderState: ({ path }) =>
        folderStateOf(this.journal, path, this.watcherOf(path)?.state.state ?? 'scanning'),
      filesIn: (folder) => this.watcherOf(folder)?.filesHere ?? null,
      silenceOf: (folder) => this.#forecaster.silenceOf(folder.path),
      hostName: hostname(),
      version: this.#version,
      nowMs: this.#clock.wallMs(),
    })
  }

  watcherOf(folder: string): Watcher | undefined {
    return this.#folders.of(folder)
  }

  /** True if no scan is pending and every reachable folder was scanned since the start. */
  get scanned(): boolean {
    return this.#folders.scanned
  }

  /** Calls the listener when the journal or the state of a folder changes. */
  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener)
    this.journal.onChange(listener)
  }

  /** Runs work outside a stage's step. If it throws, reports the error as a stage does, and returns null. */
  guard<T>(where: string, work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      this.reportError(error, where)
      return null
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#ticker)
    this.journal.limitRetriesForShutdown()
    await Promise.all([this.#folders.stop(), ...this.#stages.map((stage) => stage.stop())])
    await this.platform.close()
    await Promise.all([this.#link.close(), this.monitoring.close()])
    await this.journal
      .commit(() => noteEnd(this.journal))
      .catch((error: unknown) => this.reportError(error, 'the shutdown'))
    await this.#backup.backUp()
    this.journal.close()
    this.#releaseLock()
  }

  #tick(): void {
    if (this.#sleptMs() > SLEEP_THRESHOLD_MS) this.reconnect('the PC slept')
    if (this.journal.changedElsewhere()) this.#wake(null)
    if (this.station.code('disk') === null) this.#writes.retry()
    this.#link.recordIfPending()
    this.station.retryWriting()
    this.station.checkPending()
    this.#backup.tick()
    this.#restartCheck?.tick()
    this.#forecaster.tick()
    this.journal.textSearch.addSome()
  }

  /** Called when a user dismisses a silence: its card disappears at once. */
  checkSilence(): void {
    this.#forecaster.checkSilence()
  }

  /** Wakes the stages that handle this state. If it is null, wakes all stages, but not the folder watchers. */
  #wake(state: RecordingState | null): void {
    for (const { states, wakeup } of this.#stages) if (state === null || states.includes(state)) wakeup.hint()
  }
}
