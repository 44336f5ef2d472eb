import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { UpdateSettings } from '../../../shared/settings/settings.ts'
import { durationMs } from '../../../shared/settings/update-settings.ts'
import { mayRestart } from '../../../shared/status/may-restart.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { UpdatePhase } from '../../../shared/status/update-status.ts'
import { writeDurably } from '../../local-files/durable-file.ts'
import { fileSteps } from '../../local-files/file-in-use.ts'
import {
  FAILED_UPDATE_RETRY_DELAY_MS,
  FEED_CHECK_INTERVAL_MS,
  FEED_RETRY_DELAY_MS,
  HEALTHY_AFTER_MS,
  INSTALLER_TIMEOUT_MS,
  PARTS_FINISH_TIMEOUT_MS,
} from '../domain/retry-limits.ts'
import { chooseRelease, type Release, type ThisProgram } from '../domain/update-rules.ts'
import { allowanceAt } from '../domain/upload-windows.ts'
import type { FeedTrouble, StagedUpdate, UpdateInstaller } from '../ports/updates.ts'
import { keysFingerprint } from '../service/feed-index.ts'
import { StageOf } from '../stage/stage.ts'
import { readUpdateMemory, saveUpdateMemory, type UpdateMemory } from '../stage/update-memory.ts'

const STEP_INTERVAL_MS = 1_000
/** The file name of the index in the folder of a staged update. */
export const STAGED_INDEX = 'feed.json'

/** Removes earlier downloads, because they are large and must not be installed any more. */
const keepOnly = (folder: string, names: readonly string[]): void => {
  const others = existsSync(folder) ? readdirSync(folder).filter((name) => !names.includes(name)) : []
  for (const name of others)
    try {
      fileSteps.remove(path.join(folder, name))
    } catch {
      // A virus scanner may have locked the file. A later call removes it.
    }
}

type Candidate = { readonly release: Release; readonly indexBytes: Buffer }

/**
 * Reads the update feed about once an hour. Reports a newer version, or downloads and installs the version. The updater
 * writes each step to the journal before it takes the step.
 */
export class Updater extends StageOf<
  'journal' | 'station' | 'settings' | 'clock' | 'random' | 'log' | 'monitoring' | 'updates'
> {
  readonly name = 'updater'
  readonly states = [] as const
  readonly #startedAtMs = this.world.clock.monotonicMs()
  #nextCheckAtMs = 0
  /** The settings and keys of the last check. If they change, the updater checks the feed again. */
  #checkedWith = ''
  #candidate: Candidate | null = null
  /** True if this station should install updates by itself, but the task that runs the installer is not registered. */
  #isTaskMissing = false
  #staged: StagedUpdate | null = null
  /** The code and detail of the last condition, so that it is not reported again. */
  #shown: string | null = null
  #stoppedUploadsAtMs: number | null = null
  #nextDownloadAtMs = 0

  async step(signal: AbortSignal): Promise<number> {
    const { settings, updates } = this.world
    const updateSettings = settings()?.updates
    const { program } = updates
    if (program === null || updateSettings === undefined) return STEP_INTERVAL_MS
    this.#settleAttempt(program)
    if (updateSettings.mode === 'off' || updateSettings.feed === undefined) this.#turnOff(updateSettings)
    else await this.#followFeed(updateSettings, updateSettings.feed, program, signal)
    return STEP_INTERVAL_MS
  }

  async #followFeed(
    updateSettings: UpdateSettings,
    feed: string,
    program: ThisProgram,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, updates } = this.world
    const checkWith = JSON.stringify([updateSettings, updates.keys()])
    if (clock.monotonicMs() >= this.#nextCheckAtMs || checkWith !== this.#checkedWith) {
      this.#checkedWith = checkWith
      await this.#check(updateSettings, feed, program, signal)
    }
    if (this.#candidate === null || this.#memory.attempt !== null) return
    const { installer } = updates
    if (installer === null || updateSettings.mode === 'notify' || this.#isTaskMissing) {
      this.#continueUploads()
      this.#offer(this.#candidate.release, 'available')
    } else if (this.#hasJustFailed(this.#candidate.release)) this.#showFailure()
    else await this.#prepare(updateSettings, feed, this.#candidate, installer, signal)
  }

  get #memory(): UpdateMemory {
    return readUpdateMemory(this.world.journal)
  }

  #save(change: Partial<UpdateMemory>): void {
    saveUpdateMemory(this.world.journal, change)
  }

  #turnOff({ mode, channel }: UpdateSettings): void {
    this.#checkedWith = ''
    this.#drop()
    this.#save({ mode, channel })
  }

  async #check(
    updateSettings: UpdateSettings,
    feed: string,
    program: ThisProgram,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, updates, random } = this.world
    const keys = updates.keys()
    const read = await updates.source.readIndex(feed, keys, signal)
    if (signal.aborted) return
    // The random factor keeps the stations of a lab from reading the feed in the same second.
    this.#nextCheckAtMs =
      clock.monotonicMs() + (read.ok ? FEED_CHECK_INTERVAL_MS * (0.9 + random() / 5) : FEED_RETRY_DELAY_MS)
    if (!read.ok) {
      // An unreachable feed is often back soon, so keep an existing offer.
      if (read.kind === 'refused' || this.#candidate === null) this.#reportTrouble(read)
      return
    }
    const { sequences } = this.#memory
    const { index } = read
    const keysId = keysFingerprint(keys)
    if (index.sequence < (sequences[keysId] ?? 0))
      return this.#refuse('is older than the one that this station has seen before')
    const choice = chooseRelease(index.releases, updateSettings, program)
    this.#save({
      mode: updateSettings.mode,
      channel: updateSettings.channel,
      checkedAt: new Date(clock.wallMs()).toISOString(),
      sequences: { ...sequences, [keysId]: index.sequence },
    })
    switch (choice.kind) {
      case 'older':
        return this.#refuse(
          `offers version ${choice.version}, which is older than version ${program.version} of this program`,
        )
      case 'none':
      case 'later':
        keepOnly(updates.folder, [])
        return this.#drop()
      case 'newer':
        if (this.#candidate?.release.sha256 !== choice.release.sha256) this.#staged = null
        this.#isTaskMissing =
          updateSettings.mode === 'automatic' && (await updates.installer?.isRegistered()) === false
        this.#candidate = { release: choice.release, indexBytes: read.bytes }
    }
  }

  /** Call when the feed offers nothing to this station, or the settings turn updates off. */
  #drop(): void {
    this.#candidate = null
    this.#staged = null
    this.#continueUploads()
    this.#save({ offered: null })
    this.#show(null)
  }

  #refuse(reason: string): void {
    this.#reportTrouble({ ok: false, kind: 'refused', reason })
  }

  /** Reports why the feed is unusable. If Sluice refuses the feed, also withdraws the earlier offer. */
  #reportTrouble({ kind, reason }: FeedTrouble): void {
    this.#continueUploads()
    if (kind === 'refused') {
      this.#candidate = null
      this.#staged = null
      this.#save({ offered: null })
    }
    this.#show(kind === 'refused' ? 'feed-refused' : 'feed-unreachable', reason)
  }

  /** Downloads the update, and installs it once `#mayInstall` returns true. */
  async #prepare(
    updateSettings: UpdateSettings,
    feed: string,
    { release, indexBytes }: Candidate,
    installer: UpdateInstaller,
    signal: AbortSignal,
  ): Promise<void> {
    const { updates, clock } = this.world
    if (this.#staged === null) {
      if (clock.monotonicMs() < this.#nextDownloadAtMs) return
      this.#offer(release, 'downloading')
      const fetched = await updates.source.fetchFile(feed, release, updates.folder, signal)
      if (signal.aborted) return
      if (!fetched.ok) {
        this.#nextDownloadAtMs = clock.monotonicMs() + FEED_RETRY_DELAY_MS
        return this.#reportTrouble(fetched)
      }
      const indexFile = path.join(updates.folder, STAGED_INDEX)
      writeDurably(indexFile, indexBytes)
      keepOnly(updates.folder, [STAGED_INDEX, release.file])
      this.#staged = { indexFile, installer: fetched.file }
      this.#offer(release, 'waiting')
    }
    if (this.#mayInstall(updateSettings, release)) await this.#install(release, this.#staged, installer)
  }

  /**
   * The installer may start within `updates.hours`, once the station is idle or `updates.wait_at_most` is over. Sluice
   * then starts no new parts, and waits a limited time for the parts in flight before it starts the installer.
   */
  #mayInstall(updateSettings: UpdateSettings, { version }: Release): boolean {
    const { clock, monitoring, station, updates } = this.world
    const nowMs = clock.wallMs()
    const sinceMs = Date.parse(this.#memory.offered?.since ?? new Date(nowMs).toISOString())
    const isOverdue = nowMs - sinceMs >= durationMs(updateSettings.wait_at_most)
    const status = monitoring.status()
    const isIdle = status !== null && mayRestart(status)
    if (allowanceAt({ windows: updateSettings.hours }, nowMs).kind === 'closed' || !(isIdle || isOverdue)) {
      this.#continueUploads()
      return false
    }
    this.#stoppedUploadsAtMs ??= clock.monotonicMs()
    station.raise('installing', 'update-installing', { detail: version })
    return (
      updates.partsInFlight() === 0 ||
      clock.monotonicMs() - this.#stoppedUploadsAtMs >= PARTS_FINISH_TIMEOUT_MS
    )
  }

  #continueUploads(): void {
    if (this.#stoppedUploadsAtMs === null) return
    this.#stoppedUploadsAtMs = null
    this.world.station.clear('installing')
  }

  async #install(release: Release, staged: StagedUpdate, installer: UpdateInstaller): Promise<void> {
    const { clock, log } = this.world
    const { version } = release
    log.info('installing an update', { version })
    this.#offer(release, 'installing')
    this.#save({ attempt: { version, startedAtMs: clock.wallMs() } })
    try {
      await installer.start(staged)
    } catch (error) {
      this.#fail(version, `the installer of version ${version} could not start: ${(error as Error).message}`)
    }
  }

  /**
   * Stores the result of an update. The installer ends the old version and starts the new version, so the new version
   * stores a success. If the old version continues to run, it stores a failure.
   */
  #settleAttempt({ version }: ThisProgram): void {
    const { clock } = this.world
    const { attempt, lastResult, offered } = this.#memory
    const isHealthy = clock.monotonicMs() - this.#startedAtMs >= HEALTHY_AFTER_MS
    if (offered?.version === version) this.#save({ offered: null })
    if (attempt === null) {
      // If the failed version runs now, something else installed it, such as the package manager.
      if (lastResult?.ok === false && lastResult.version === version && isHealthy)
        this.#save({ lastResult: this.#resultOf(version, null) })
      return
    }
    const waitedMs = clock.wallMs() - attempt.startedAtMs
    if (attempt.version === version) {
      if (isHealthy) this.#save({ attempt: null, lastResult: this.#resultOf(version, null) })
    } else if (Math.abs(waitedMs) >= INSTALLER_TIMEOUT_MS)
      this.#fail(
        attempt.version,
        `the installer of version ${attempt.version} did not replace version ${version}`,
      )
  }

  #resultOf(version: string, reason: string | null) {
    return { version, ok: reason === null, at: new Date(this.world.clock.wallMs()).toISOString(), reason }
  }

  #fail(version: string, reason: string): void {
    this.#save({ attempt: null, offered: null, lastResult: this.#resultOf(version, reason) })
    this.#staged = null
    this.#continueUploads()
    this.#showFailure()
  }

  #hasJustFailed({ version }: Release): boolean {
    const { lastResult } = this.#memory
    if (lastResult === null || lastResult.ok || lastResult.version !== version) return false
    return Math.abs(this.world.clock.wallMs() - Date.parse(lastResult.at)) < FAILED_UPDATE_RETRY_DELAY_MS
  }

  #showFailure(): void {
    this.#show('update-failed', this.#memory.lastResult?.reason ?? 'the reason is unknown')
  }

  #offer({ version }: Release, phase: UpdatePhase): void {
    const { offered } = this.#memory
    const since =
      offered?.version === version ? offered.since : new Date(this.world.clock.wallMs()).toISOString()
    this.#save({ offered: { version, since, phase } })
    switch (phase) {
      // Report nothing here. If a download fails repeatedly, each retry would look like a new problem.
      case 'downloading':
        return
      case 'available':
        this.#show(this.#isTaskMissing ? 'update-task-missing' : 'update-available', version)
        return
      case 'waiting':
      case 'installing':
        this.#show('update-waiting', version)
    }
  }

  /** Changes the condition only if its code or detail is new. */
  #show(code: ProblemCode | null, detail = ''): void {
    const { station, log } = this.world
    const shown = code === null ? null : `${code} ${detail}`
    if (shown === this.#shown) return
    this.#shown = shown
    // For a while, `raise` ignores a new detail of the same code, so clear the condition first.
    if (code === null || station.code('updates') === code) station.clear('updates')
    if (code === null) return
    station.raise('updates', code, { detail })
    if (code === 'feed-refused' || code === 'feed-unreachable' || code === 'update-failed')
      log.warn('no update was installed', { code, why: detail })
    else log.info('an update is offered', { version: detail })
  }
}
