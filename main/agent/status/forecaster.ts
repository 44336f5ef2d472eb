import type { Settings } from '../../../shared/settings/settings.ts'
import type { DriveRoom } from '../../../shared/status/free-space.ts'
import type { Silence } from '../../../shared/status/status.ts'
import { BYTES_PER_MBIT } from '../domain/forecast.ts'
import type { Journal } from '../journal/journal.ts'
import { DriveRooms } from '../outlook/drive-space.ts'
import { Outlook } from '../outlook/outlook.ts'
import { SilenceWatch } from '../outlook/silence-watch.ts'
import { RoomWatch } from '../outlook/space-watch.ts'
import { SendingMeter } from '../outlook/upload-meter.ts'
import type { Clock } from '../ports/clock.ts'
import type { Drives } from '../ports/folders.ts'
import type { Station } from '../station/station.ts'
import type { Progress } from './progress.ts'

const OUTLOOK_MS = 60_000

type Sources = {
  readonly journal: Journal
  readonly station: Station
  readonly progress: Progress
  readonly clock: Clock
  readonly drives: Drives
  readonly settings: () => Settings | null
  readonly isWatching: (folder: string) => boolean
  /** Of what lies in the folder now; null before it was looked through. */
  readonly bytesSafeIn: (folder: string, service: string) => number | null
  readonly guard: <T>(where: string, work: () => T) => T | null
}

/** What the station tells before it is asked for: when it is done, how long the drives last, which folder is silent. */
export class Foresight {
  readonly outlook: Outlook
  readonly #sources: Sources
  readonly #meter: SendingMeter
  readonly #roomWatch: RoomWatch
  readonly #rooms = new DriveRooms()
  readonly #silences: SilenceWatch
  #keptAtMs = Number.NEGATIVE_INFINITY

  constructor(sources: Sources) {
    const { journal, clock, drives, guard } = sources
    this.#sources = sources
    this.#meter = new SendingMeter(journal, clock)
    this.outlook = new Outlook(journal, () => this.#meter.recent())
    this.#silences = new SilenceWatch(journal)
    this.#roomWatch = new RoomWatch({
      drives,
      clock,
      folders: () => this.#folders.map((folder) => folder.path),
      deviceOf: (folder) => guard('the room', () => journal.station.volumeOf(folder)?.device ?? null),
    })
  }

  get #folders(): Settings['folders'] {
    return this.#sources.settings()?.folders ?? []
  }

  tick(): void {
    const { station, clock } = this.#sources
    this.#roomWatch.tick()
    // With a full disk nothing can be noted down.
    if (station.code('disk') !== null) return
    this.#measure()
    this.listen()
    if (clock.monotonicMs() - this.#keptAtMs >= OUTLOOK_MS) this.#keep()
  }

  room(): readonly DriveRoom[] {
    const { journal, clock, bytesSafeIn } = this.#sources
    const service = journal.station.serviceInUse()
    return this.#rooms.of(this.#roomWatch.watched(), {
      journal,
      outlook: this.outlook,
      safeIn: (folder) => (service === null ? 0 : bytesSafeIn(folder, service)),
      nowMs: clock.wallMs(),
    })
  }

  silenceOf(folder: string): Silence | null {
    return this.#silences.of(folder)
  }

  /** Also when somebody said that nothing is to come: the card goes at once. */
  listen(): void {
    const { clock, isWatching } = this.#sources
    const folders = this.#folders.map((folder) => ({ folder, watching: isWatching(folder.path) }))
    this.#silences.look(folders, clock.wallMs())
  }

  #measure(): void {
    const { journal, station, progress, clock } = this.#sources
    const allowance = station.allowance()
    const limit = allowance.kind === 'open' ? allowance.limitMbitPerS : null
    const sending = station.mayStartPart() && journal.work.countOpen(clock.wallMs()) > 0
    this.#meter.tick(progress.takeUnsaved(), sending, limit === null ? null : limit * BYTES_PER_MBIT)
  }

  /** For a terminal that asks beside the agent. */
  #keep(): void {
    const { journal, clock } = this.#sources
    const settings = this.#sources.settings()
    if (settings === null) return
    this.#keptAtMs = clock.monotonicMs()
    const { windows, limit_mbit_per_s } = settings.transfer
    journal.station.keepOutlook({
      atMs: clock.wallMs(),
      transfer: { windows, limit_mbit_per_s },
      folders: settings.folders.map((folder) => folder.path),
      recent: this.#meter.recent(),
      room: this.room(),
    })
  }
}
