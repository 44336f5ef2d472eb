import type { Database } from 'better-sqlite3'
import type { UploadHost } from '../../../shared/ipc/support.ts'
import type { TransferSettings } from '../../../shared/settings/settings.ts'
import type { DriveSpace } from '../../../shared/status/free-space.ts'
import type { StationCondition } from '../../../shared/status/problem.ts'
import type { Silence } from '../../../shared/status/status.ts'
import type { Sent } from '../domain/sending-rate.ts'
import type { ActivityStore } from './activity-store.ts'
import { transaction } from './statements.ts'
import type { StationValues } from './station-values.ts'

/** Real storage uses a few host names, but a malicious service could send a new one for each part. */
const MAX_HOSTS = 50

/** A folder that has no new recordings, although it usually has some by now. */
export type SilentFolder = Silence & { readonly folder: string }

export type Pause = {
  readonly untilMs: number | null
  /** Null for a pause that an older version of Sluice stored. */
  readonly sinceMs: number | null
}

/** A user's request to upload outside the upload hours. It ends when the upload hours begin. */
export type UploadNow = {
  /** Null if the upload hours never begin: then the request lasts until the user undoes it. */
  readonly untilMs: number | null
  readonly station: boolean
  /** The recordings that Sluice uploads even if the rest of the station waits. */
  readonly recordingIds: readonly number[]
}

/** Forecast data that only the running agent has, saved for terminal commands. */
export type SavedOutlook = {
  readonly atMs: number
  readonly transfer: Pick<TransferSettings, 'windows' | 'limit_mbit_per_s'>
  readonly folders: readonly string[]
  readonly recent: Sent
  readonly driveSpace: readonly DriveSpace[]
}

/** Upload measurements of the running agent, saved each second for terminal commands. */
export type SavedUploads = {
  readonly atMs: number
  /** The speed of all uploads together. Null while nothing is sent. */
  readonly bytesPerSecond: number | null
  /** The recordings whose bytes are being sent. `bytesSent` includes bytes that the storage has not acknowledged. */
  readonly uploads: readonly { readonly id: number; readonly bytesSent: number }[]
  /** The number of files that are no longer written but have not settled yet. `settling` lists only the first few. */
  readonly finishing?: number
  readonly settling?: readonly { readonly id: number; readonly settlesAtMs: number }[]
}

/** A finished file of a take (its state is still `growing`), and the name of the file that it waits for. */
export type WaitingFile = { readonly id: number; readonly name: string }

/** Facts about the whole station, not about one recording. */
export class StationStore {
  readonly #db: Database
  readonly #values: StationValues
  readonly #now: () => number
  readonly #activity: ActivityStore

  constructor(db: Database, values: StationValues, now: () => number, activity: ActivityStore) {
    this.#db = db
    this.#values = values
    this.#now = now
    this.#activity = activity
  }

  pause(untilMs: number | null): void {
    transaction(this.#db, () => {
      const current = this.currentPause()
      // A pause with a new end is still the same pause.
      const sinceMs = current === null ? this.#now() : current.sinceMs
      this.#values.set('pause', { untilMs, sinceMs } satisfies Pause)
      this.#activity.note({
        kind: 'paused',
        until: untilMs === null ? null : new Date(untilMs).toISOString(),
      })
    })
  }

  resume(): void {
    transaction(this.#db, () => {
      if (this.currentPause() !== null) this.#activity.note({ kind: 'resumed' })
      this.#values.set('pause', null)
    })
  }

  /** A pause with an end time expires by itself. */
  currentPause(): Pause | null {
    const pause = this.#values.read<Pick<Pause, 'untilMs'> & Partial<Pause>>('pause')
    if (pause === null || (pause.untilMs !== null && pause.untilMs <= this.#now())) return null
    return { untilMs: pause.untilMs, sinceMs: pause.sinceMs ?? null }
  }

  /** The request of a user to upload now. Null if there is none, or if the upload hours have begun since. */
  uploadNow(): UploadNow | null {
    const request = this.#values.read<UploadNow>('upload_now')
    const isOver = request !== null && request.untilMs !== null && request.untilMs <= this.#now()
    return isOver ? null : request
  }

  setUploadNow(uploadNow: UploadNow): void {
    const isEmpty = !uploadNow.station && uploadNow.recordingIds.length === 0
    this.#values.set('upload_now', isEmpty ? null : uploadNow)
  }

  /** Saves the station's current problems, worst first, so that a terminal command can show them. */
  setConditions(problems: readonly StationCondition[]): void {
    this.#values.set('conditions', problems.length === 0 ? null : problems)
  }

  conditions(): readonly StationCondition[] {
    return this.#values.read<StationCondition[]>('conditions') ?? []
  }

  saveOutlook(outlook: SavedOutlook): void {
    this.#values.set('outlook', outlook)
  }

  outlook(): SavedOutlook | null {
    return this.#values.read<SavedOutlook>('outlook')
  }

  /**
   * `null` means that nothing is being sent and no recording is finishing. Wakes no stage, because only other programs
   * read the value.
   */
  saveUploads(uploads: SavedUploads | null): void {
    this.#values.write('uploads', uploads)
  }

  uploads(): SavedUploads | null {
    return this.#values.read<SavedUploads>('uploads')
  }

  /** Saves which file each finished file of a take waits for. A wait can last hours, so Sluice saves only changes. */
  saveWaitingFiles(waiting: readonly WaitingFile[]): void {
    if (JSON.stringify(waiting) === JSON.stringify(this.waitingFiles())) return
    this.#values.write('waiting-files', waiting.length === 0 ? null : waiting)
  }

  waitingFiles(): readonly WaitingFile[] {
    return this.#values.read<WaitingFile[]>('waiting-files') ?? []
  }

  /** Saves the silent folders, so that a terminal command can show them. */
  setSilences(silences: readonly SilentFolder[]): void {
    if (JSON.stringify(silences) === JSON.stringify(this.silences())) return
    this.#values.set('silences', silences.length === 0 ? null : silences)
  }

  silences(): readonly SilentFolder[] {
    return this.#values.read<SilentFolder[]>('silences') ?? []
  }

  /** A name for the service of this station. The name changes when the user accepts a different organisation. */
  service(): string | null {
    return this.#values.read<string>('service')
  }

  /** Like `service()`, but null if the key belongs to a different organisation. In that case, no recording is safe. */
  serviceInUse(): string | null {
    return this.refusedKey() === null ? this.service() : null
  }

  setService(name: string): void {
    this.#values.set('service', name)
  }

  /** The fingerprint of the service address and key that belong to this station's organisation. */
  trustedKey(): string | null {
    return this.#values.read<string>('trusted_key')
  }

  trustKey(fingerprint: string): void {
    this.#values.set('trusted_key', fingerprint)
    this.#values.set('refused_key', null)
  }

  /** The fingerprint of a key of a different organisation, until the user accepts that key or enters the right one. */
  refusedKey(): string | null {
    return this.#values.read<string>('refused_key')
  }

  refuseKey(fingerprint: string): void {
    this.#values.set('refused_key', fingerprint)
  }

  /** Whether the key in use is a test key (§5.3). Saved so that a terminal command can show it. */
  usesTestKey(): boolean {
    return this.#values.read<boolean>('test_key') ?? false
  }

  setUsesTestKey(usesTestKey: boolean): void {
    if (usesTestKey !== this.usesTestKey()) this.#values.set('test_key', usesTestKey ? true : null)
  }

  /** Storage hosts that parts were sent to, in order of first use. */
  uploadHosts(): readonly UploadHost[] {
    return this.#values.read<UploadHost[]>('upload_hosts') ?? []
  }

  /** Stores a host that parts are sent to. Returns true if the host is new. */
  noteUploadHost(host: string): boolean {
    const hosts = this.uploadHosts()
    if (hosts.some((one) => one.host === host)) return false
    const firstSeenAt = new Date(this.#now()).toISOString()
    // Keep the newest entries, and the first one, which shows how old the list is.
    const [first, ...later] = [...hosts, { host, firstSeenAt }]
    this.#values.set('upload_hosts', first === undefined ? [] : [first, ...later.slice(1 - MAX_HOSTS)])
    return true
  }
}
