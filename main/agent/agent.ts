import { createHash, randomUUID } from 'node:crypto'
import path from 'node:path'
import type { SystemProxy } from '../../shared/agent-protocol.ts'
import { gapWatcher } from '../../shared/clock-gap.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Status } from '../../shared/status.ts'
import { isLive } from './domain/states.ts'
import { isDamaged } from './journal/database.ts'
import { type ChangeListener, type Journal, openJournal } from './journal/journal.ts'
import { takeAgentLock } from './journal/lock.ts'
import { Completer } from './pipeline/completer.ts'
import { Discarder } from './pipeline/discarder.ts'
import { Follower } from './pipeline/follower.ts'
import { Hasher } from './pipeline/hasher.ts'
import { Opener } from './pipeline/opener.ts'
import { Prober } from './pipeline/prober.ts'
import { Settler } from './pipeline/settler.ts'
import { Uploader } from './pipeline/uploader.ts'
import type { Watcher } from './pipeline/watcher.ts'
import { createPlatform, type Platform } from './platform/platform.ts'
import type { Clock, Log, Random, ServiceClient } from './ports.ts'
import { connectService } from './running/service-connection.ts'
import { type RunningStage, runStage } from './running/stage.ts'
import { Gate } from './running/station-gate.ts'
import { createTell, type Tell } from './running/trouble.ts'
import { WatchedFolders } from './running/watched-folders.ts'
import { Progress } from './status/progress.ts'
import { takeSnapshot } from './status/snapshot.ts'
import { Bandwidth } from './upload/bandwidth.ts'
import { Slots } from './upload/slots.ts'

const TICK_MS = 1_000
const BACKUP_MS = 3_600_000
/** A busy PC is late by a second or two; one that slept, or a process that was stopped, is late by much more. */
const SLEPT_MS = 15_000

export type Configuration = {
  readonly settings: Settings | null
  readonly apiKey: string | null
  readonly systemProxy: SystemProxy
}

export const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

/** Builds the stages and runs them. After kill -9 this is the ordinary start: there is no recovery path. */
export class Agent {
  readonly journal: Journal
  readonly platform: Platform
  readonly gate: Gate
  readonly progress: Progress
  readonly tell: Tell
  readonly #dataFolder: string
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Log
  readonly #lock: { readonly release: () => void }
  readonly #stages: RunningStage[] = []
  readonly #folders: WatchedFolders
  readonly #ticker: NodeJS.Timeout
  readonly #missingMs: () => number
  #configuration: Configuration = { settings: null, apiKey: null, systemProxy: { kind: 'unknown' } }
  #configuring: Promise<void> = Promise.resolve()
  #service: ServiceClient | null = null
  #backedUpAtMs: number

  constructor(options: {
    readonly dataFolder: string
    readonly log: Log
    /** The journal cannot be used any more: end this process, and the next start mends it. */
    readonly onDamage: () => void
    readonly clock?: Clock
    readonly random?: Random
  }) {
    this.#dataFolder = path.resolve(options.dataFolder)
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? Math.random
    this.#log = options.log
    this.#lock = takeAgentLock(this.#dataFolder)
    const opened = openJournal(this.#dataFolder, this.#clock.wallMs)
    this.journal = opened.journal
    if (opened.damage !== null)
      this.#log.error(
        'the journal was damaged and is being rebuilt from the folders and the service',
        opened.damage,
      )
    this.platform = createPlatform({
      clock: this.#clock,
      watchedFolders: () => (this.#configuration.settings?.folders ?? []).map((folder) => folder.path),
    })
    this.gate = new Gate(this.journal, this.#clock, this.#random, () => this.#configuration.settings)
    this.progress = new Progress(this.#clock)
    this.tell = createTell({
      log: this.#log,
      diskFull: () => {
        if (this.gate.problem?.code !== 'disk-full') this.gate.close('disk-full')
      },
      damaged: () => {
        this.journal.suspect()
        options.onDamage()
      },
    })
    this.#folders = new WatchedFolders({
      journal: this.journal,
      eyes: this.platform.eyes,
      files: this.platform.files,
      clock: this.#clock,
      log: this.#log,
      tell: this.tell,
    })
    this.#backedUpAtMs = this.#clock.monotonicMs()
    this.#missingMs = gapWatcher(this.#clock, TICK_MS)
    this.#ticker = setInterval(() => this.guard('the clock', () => this.#tick()), TICK_MS)
  }

  get settings(): Settings | null {
    return this.#configuration.settings
  }

  get service(): ServiceClient | null {
    return this.#service
  }

  get systemProxy(): SystemProxy {
    return this.#configuration.systemProxy
  }

  start(): void {
    const { journal, platform, gate, progress } = this
    this.guard('the start', () => journal.station.setStop(null))
    const settings = () => this.#configuration.settings
    const folders = () => this.#configuration.settings?.folders ?? []
    const bandwidth = new Bandwidth(this.#clock, () => {
      const allowance = gate.allowance()
      return allowance.kind === 'open' ? allowance.limitMbitPerS : null
    })
    const shared = {
      journal,
      gate,
      progress,
      settings,
      folders,
      files: platform.files,
      workers: platform.hasher,
      service: () => this.#service,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      newKey: randomUUID,
      fresh: new Set<string>(),
      dataFolder: this.#dataFolder,
      slots: new Slots(this.#clock, () => settings()?.transfer.parallel_parts ?? 1),
      pace: (bytes: number, signal: AbortSignal) => bandwidth.take(bytes, signal),
      wake: () => this.#wakeAll(),
      guard: (where: string, work: () => void) => this.guard(where, work),
    }
    for (const stage of [
      new Settler(shared),
      new Hasher(shared, 'small'),
      new Hasher({ ...shared, workers: platform.largeHasher }, 'large'),
      new Opener(shared),
      new Uploader(shared),
      new Completer(shared),
      new Follower(shared),
      new Discarder(shared),
      new Prober(shared),
    ])
      this.#stages.push(runStage(stage, this.tell))
    journal.onChange(() => this.#wakeAll())
  }

  /** Settings may change at any time, also while the last change is taking effect. */
  configure(next: Configuration): Promise<void> {
    const applied = this.#configuring.then(() => this.#configure(next))
    this.#configuring = applied.catch(() => {})
    return applied
  }

  /** After sleep or a change of network: every socket is presumed dead, every folder may have changed. */
  reconnect(reason: string): void {
    this.#log.info('connecting anew', { reason })
    this.#service?.reconnect()
    this.gate.probeNow()
    this.#folders.rescan()
    this.#wakeAll()
  }

  status(): Status {
    return takeSnapshot({
      journal: this.journal,
      progress: this.progress,
      settings: this.settings,
      stop: this.gate.problem,
      reachable: this.gate.reachable,
      allowance: this.gate.allowance(),
      clockOffsetMs: this.#service?.clockOffsetMs() ?? null,
      folderState: (folder) => this.watcherOf(folder.path)?.state ?? { state: 'scanning', problem: null },
      nowMs: this.#clock.wallMs(),
    })
  }

  watcherOf(folder: string): Watcher | undefined {
    return this.#folders.of(folder)
  }

  /** Every folder has been looked through and no recording is under way. */
  isIdle(): boolean {
    const counts = this.journal.views.counts()
    const live = Object.entries(counts).some(([state, n]) => n > 0 && isLive(state as keyof typeof counts))
    return !live && this.journal.givenUp.count() === 0 && this.#folders.looked
  }

  onChange(listener: ChangeListener): () => void {
    return this.journal.onChange(listener)
  }

  /** For what runs outside a stage's step: what is thrown there means the same. Null when it was. */
  guard<T>(where: string, work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      this.tell(error, where)
      return null
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#ticker)
    await Promise.all([this.#folders.stop(), ...this.#stages.map((stage) => stage.stop())])
    await Promise.all([this.platform.hasher.close(), this.platform.largeHasher.close()])
    await this.#service?.close()
    await this.#backUp()
    this.journal.close()
    this.#lock.release()
  }

  async #configure(next: Configuration): Promise<void> {
    const before = this.#configuration
    this.#configuration = next
    const sameService =
      JSON.stringify([before.settings?.service, before.apiKey, before.systemProxy]) ===
      JSON.stringify([next.settings?.service, next.apiKey, next.systemProxy])
    if (!sameService || this.#service === null) await this.#connect()
    await this.#folders.watch(next.settings?.folders ?? [])
    this.#wakeAll()
  }

  async #connect(): Promise<void> {
    const { settings, apiKey, systemProxy } = this.#configuration
    const old = this.#service
    this.#service = null
    await old?.close()
    if (settings === null) return
    if (apiKey === null) {
      this.gate.close('key-missing')
      return
    }
    this.#service = connectService(settings.service, apiKey, systemProxy, {
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
    })
    const { origin } = new URL(settings.service.base_url)
    const fingerprint = createHash('sha256').update(`${origin}\n${apiKey}`).digest('base64url')
    // A full disk here must not keep the folders from being watched.
    this.guard('the station', () => this.gate.connected(fingerprint))
  }

  #tick(): void {
    if (this.#missingMs() > SLEPT_MS) this.reconnect('the PC slept')
    if (this.journal.changedElsewhere()) this.#wakeAll()
    if (this.#clock.monotonicMs() - this.#backedUpAtMs > BACKUP_MS) {
      this.#backedUpAtMs = this.#clock.monotonicMs()
      void this.#backUp()
    }
    if (this.journal.station.rebuilt() && this.#folders.complete) this.journal.station.setRebuilt(false)
    const bytes = this.gate.problem?.code === 'disk-full' ? 0 : this.progress.takeUnsaved()
    if (bytes > 0) this.journal.station.countBytes(bytes)
  }

  /** A copy that does not fit on the disk stops nothing; damage that its check finds is damage. */
  async #backUp(): Promise<void> {
    try {
      await this.journal.backup()
    } catch (error) {
      if (isDamaged(error)) this.tell(error, 'the backup')
      else this.#log.warn('no backup made', { error: String(error) })
    }
  }

  /** Folders have their own rhythm; only the stages behind the journal are woken by it. */
  #wakeAll(): void {
    for (const stage of this.#stages) stage.wakeup.hint()
  }
}
