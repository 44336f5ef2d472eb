import type { Settings } from '../../../shared/settings/settings.ts'
import type { DriveSpace } from '../../../shared/status/free-space.ts'
import type { Silence } from '../../../shared/status/status.ts'
import { BYTES_PER_MBIT } from '../domain/forecast.ts'
import type { Journal } from '../journal/journal.ts'
import { DriveSpaces } from '../outlook/drive-space.ts'
import { Outlook } from '../outlook/outlook.ts'
import { SilenceWatch } from '../outlook/silence-watch.ts'
import { SpaceWatch } from '../outlook/space-watch.ts'
import { UploadMeter } from '../outlook/upload-meter.ts'
import type { Clock } from '../ports/clock.ts'
import type { Drives } from '../ports/folders.ts'
import type { Station } from '../station/station.ts'
import { saveUploads, saveWaitingFiles } from './live-uploads.ts'
import type { Progress } from './progress.ts'

const SAVE_INTERVAL_MS = 60_000

type Sources = {
  readonly journal: Journal
  readonly station: Station
  readonly progress: Progress
  readonly clock: Clock
  readonly drives: Drives
  readonly settings: () => Settings | null
  readonly isWatching: (folder: string) => boolean
  /** The bytes in the folder that are safe at the given service; null before the first scan. */
  readonly bytesSafeIn: (folder: string, service: string) => number | null
  readonly guard: <T>(where: string, work: () => T) => T | null
}

/** The forecasts of the station: when uploads finish, when the drives are full, and which folders are silent. */
export class Forecaster {
  readonly outlook: Outlook
  readonly #sources: Sources
  readonly #meter: UploadMeter
  readonly #spaceWatch: SpaceWatch
  readonly #spaces = new DriveSpaces()
  readonly #silenceWatch: SilenceWatch
  #savedAtMs = Number.NEGATIVE_INFINITY
  #savedSettings: Settings | null = null

  constructor(sources: Sources) {
    const { journal, clock, drives, guard } = sources
    this.#sources = sources
    this.#meter = new UploadMeter(journal, clock)
    this.outlook = new Outlook(journal, () => this.#meter.recent())
    this.#silenceWatch = new SilenceWatch(journal)
    this.#spaceWatch = new SpaceWatch({
      drives,
      clock,
      folders: () => this.#folders.map((folder) => folder.path),
      deviceOf: (folder) => guard('the free space', () => journal.volumes.volumeOf(folder)?.device ?? null),
    })
  }

  get #folders(): Settings['folders'] {
    return this.#sources.settings()?.folders ?? []
  }

  tick(): void {
    const { journal, station, progress, clock } = this.#sources
    this.#spaceWatch.tick()
    // Measure first, because a write throws while the journal is locked.
    this.#measure()
    if (station.code('disk') !== null) return
    const isIdle = progress.uploadingIds.length + progress.settlingIds.length === 0
    if (isIdle && journal.station.uploads() === null) this.#meter.save()
    // Both writes share one transaction, so that a second of uploading costs one disk write.
    else
      journal.transaction(() => {
        saveUploads(journal, progress, clock.wallMs())
        this.#meter.save()
      })
    saveWaitingFiles(journal, progress)
    this.checkSilence()
    // Save new settings at once, because terminal commands read the upload hours from the outlook.
    const isChanged = this.#sources.settings() !== this.#savedSettings
    if (isChanged || clock.monotonicMs() - this.#savedAtMs >= SAVE_INTERVAL_MS) this.#save()
  }

  driveSpace(): readonly DriveSpace[] {
    const { journal, clock, bytesSafeIn } = this.#sources
    const service = journal.station.serviceInUse()
    return this.#spaces.of(this.#spaceWatch.watched(), {
      journal,
      outlook: this.outlook,
      safeBytesIn: (folder) => (service === null ? 0 : bytesSafeIn(folder, service)),
      nowMs: clock.wallMs(),
    })
  }

  silenceOf(folder: string): Silence | null {
    return this.#silenceWatch.of(folder)
  }

  /** Also called when the user dismisses a silence, so that its card disappears at once. */
  checkSilence(): void {
    const { clock, isWatching } = this.#sources
    const folders = this.#folders.map((folder) => ({ folder, isWatching: isWatching(folder.path) }))
    this.#silenceWatch.check(folders, clock.wallMs())
  }

  #measure(): void {
    const { journal, station, progress, clock } = this.#sources
    const limit = station.limitMbitPerS
    const isSending = station.mayStartPart() && journal.work.countOpen(clock.wallMs()) > 0
    this.#meter.measure(
      progress.takeUnsavedBytes(),
      isSending,
      limit === null ? null : limit * BYTES_PER_MBIT,
    )
  }

  /** Saves the outlook for terminal commands. */
  #save(): void {
    const { journal, clock } = this.#sources
    const settings = this.#sources.settings()
    if (settings === null) return
    this.#savedAtMs = clock.monotonicMs()
    this.#savedSettings = settings
    const { windows, limit_mbit_per_s } = settings.transfer
    journal.station.saveOutlook({
      atMs: clock.wallMs(),
      transfer: { windows, limit_mbit_per_s },
      folders: settings.folders.map((folder) => folder.path),
      recent: this.#meter.recent(),
      driveSpace: this.driveSpace(),
    })
  }
}
