import type { Database } from 'better-sqlite3'
import type { UploadHost } from '../../../shared/ipc/support.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { TransferSettings } from '../../../shared/settings/settings.ts'
import type { DriveSpace } from '../../../shared/status/free-space.ts'
import type { StationCondition } from '../../../shared/status/problem.ts'
import type { Silence } from '../../../shared/status/status.ts'
import type { Sent } from '../domain/sending-rate.ts'
import type { VolumeIdentity } from '../ports/folders.ts'
import type { ActivityStore } from './activity-store.ts'
import { type FirstSeen, FirstSeenFile } from './first-seen-file.ts'
import { Statements, transaction } from './statements.ts'

/** Real storage uses a few host names. A malicious service could send a new one for each part. */
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

type Volumes = Readonly<Record<string, VolumeIdentity>>

/** What identifies the drive of each folder. */
type Drives = Readonly<Record<string, string>>

/**
 * An early removal freed no space. Early removal pauses for a day, or until the free space reaches `wantedBytes`, the
 * amount expected after that removal.
 */
export type NoSpaceGained = { readonly atMs: number; readonly wantedBytes: number }

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

/** A growing file, and the name of the file that it waits for. */
export type WaitingFile = { readonly id: number; readonly name: string }

/** Facts about the whole station, not about one recording. */
export class StationStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #now: () => number
  readonly #changed: () => void
  readonly #paths: Paths
  readonly #activity: ActivityStore
  readonly #firstSeenFile: FirstSeenFile

  constructor(
    db: Database,
    now: () => number,
    changed: () => void,
    paths: Paths,
    activity: ActivityStore,
    dataFolder: string,
  ) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
    this.#paths = paths
    this.#activity = activity
    this.#firstSeenFile = new FirstSeenFile(dataFolder, paths)
  }

  pause(untilMs: number | null): void {
    transaction(this.#db, () => {
      const current = this.currentPause()
      // A pause with a new end is still the same pause.
      const sinceMs = current === null ? this.#now() : current.sinceMs
      this.#set('pause', { untilMs, sinceMs } satisfies Pause)
      this.#activity.note({
        kind: 'paused',
        until: untilMs === null ? null : new Date(untilMs).toISOString(),
      })
    })
  }

  resume(): void {
    transaction(this.#db, () => {
      if (this.currentPause() !== null) this.#activity.note({ kind: 'resumed' })
      this.#set('pause', null)
    })
  }

  /** A pause with an end time expires by itself. */
  currentPause(): Pause | null {
    const pause = this.#read<Pick<Pause, 'untilMs'> & Partial<Pause>>('pause')
    if (pause === null || (pause.untilMs !== null && pause.untilMs <= this.#now())) return null
    return { untilMs: pause.untilMs, sinceMs: pause.sinceMs ?? null }
  }

  /** Null if no user made such a request, or if the upload hours have begun since. */
  uploadNow(): UploadNow | null {
    const request = this.#read<UploadNow>('upload_now')
    const isOver = request !== null && request.untilMs !== null && request.untilMs <= this.#now()
    return isOver ? null : request
  }

  setUploadNow(uploadNow: UploadNow): void {
    const isEmpty = !uploadNow.station && uploadNow.recordingIds.length === 0
    this.#set('upload_now', isEmpty ? null : uploadNow)
  }

  /** Saves the station's current problems, worst first, so that a terminal command can show them. */
  setConditions(problems: readonly StationCondition[]): void {
    this.#set('conditions', problems.length === 0 ? null : problems)
  }

  conditions(): readonly StationCondition[] {
    return this.#read<StationCondition[]>('conditions') ?? []
  }

  saveOutlook(outlook: SavedOutlook): void {
    this.#set('outlook', outlook)
  }

  outlook(): SavedOutlook | null {
    return this.#read<SavedOutlook>('outlook')
  }

  /**
   * Null: nothing is being sent, and no recording is finishing. This write wakes no stage, because only other
   * programs read the value.
   */
  saveUploads(uploads: SavedUploads | null): void {
    this.#write('uploads', uploads)
  }

  uploads(): SavedUploads | null {
    return this.#read<SavedUploads>('uploads')
  }

  /** Saves which file each finished file of a take waits for. Takes can wait for hours, so this writes only changes. */
  saveWaitingFiles(waiting: readonly WaitingFile[]): void {
    if (JSON.stringify(waiting) === JSON.stringify(this.waitingFiles())) return
    this.#write('waiting-files', waiting.length === 0 ? null : waiting)
  }

  waitingFiles(): readonly WaitingFile[] {
    return this.#read<WaitingFile[]>('waiting-files') ?? []
  }

  /** Saves the silent folders, so that a terminal command can show them. */
  setSilences(silences: readonly SilentFolder[]): void {
    if (JSON.stringify(silences) === JSON.stringify(this.silences())) return
    this.#set('silences', silences.length === 0 ? null : silences)
  }

  silences(): readonly SilentFolder[] {
    return this.#read<SilentFolder[]>('silences') ?? []
  }

  /** The station's name for its service. It changes when the user accepts a different organisation. */
  service(): string | null {
    return this.#read<string>('service')
  }

  /** Null if the key is known to belong to a different organisation: then nothing counts as safe. */
  serviceInUse(): string | null {
    return this.refusedKey() === null ? this.service() : null
  }

  setService(name: string): void {
    this.#set('service', name)
  }

  /** The fingerprint of the service address and key that belong to this station's organisation. */
  trustedKey(): string | null {
    return this.#read<string>('trusted_key')
  }

  trustKey(fingerprint: string): void {
    this.#set('trusted_key', fingerprint)
    this.#set('refused_key', null)
  }

  /** The fingerprint of a key of a different organisation, until the user accepts that key or enters the right one. */
  refusedKey(): string | null {
    return this.#read<string>('refused_key')
  }

  refuseKey(fingerprint: string): void {
    this.#set('refused_key', fingerprint)
  }

  /** Whether the key in use is a test key (§5.3). Saved so that a terminal command can show it. */
  usesTestKey(): boolean {
    return this.#read<boolean>('test_key') ?? false
  }

  setUsesTestKey(usesTestKey: boolean): void {
    if (usesTestKey !== this.usesTestKey()) this.#set('test_key', usesTestKey ? true : null)
  }

  /**
   * When this journal listed the folder completely for the first time. Null before that. A file that is older may
   * already have a session, even if it appears later. An older version stored no time: then the folder counts as listed
   * when it was first seen.
   */
  listedAtMs(folder: string): number | null {
    const key = this.#paths.key(folder)
    if (!this.#listedFolders().includes(key)) return null
    return this.#listingTimes()[key] ?? this.volumeOf(folder)?.firstSeenAtMs ?? this.#now()
  }

  setListed(folder: string, atMs: number): void {
    if (this.listedAtMs(folder) !== null) return
    const key = this.#paths.key(folder)
    transaction(this.#db, () => {
      this.#set('listing_times', { ...this.#listingTimes(), [key]: atMs })
      this.#set('listed_folders', [...this.#listedFolders(), key])
    })
  }

  /** Call after the journal was restored or rebuilt: the journal may not know the newest recordings of any folder. */
  forgetListings(): void {
    this.#set('listed_folders', null)
    this.#set('listing_times', null)
  }

  #listingTimes(): Readonly<Record<string, number>> {
    return this.#read<Record<string, number>>('listing_times') ?? {}
  }

  #listedFolders(): readonly string[] {
    return this.#read<string[]>('listed_folders') ?? []
  }

  /** Storage hosts that parts were sent to, in order of first use. */
  uploadHosts(): readonly UploadHost[] {
    return this.#read<UploadHost[]>('upload_hosts') ?? []
  }

  /** Stores a host that parts are sent to. Returns true if the host is new. */
  noteUploadHost(host: string): boolean {
    const hosts = this.uploadHosts()
    if (hosts.some((one) => one.host === host)) return false
    const firstSeenAt = new Date(this.#now()).toISOString()
    // Keep the newest entries, and the first one, which shows how old the list is.
    const [first, ...later] = [...hosts, { host, firstSeenAt }]
    this.#set('upload_hosts', first === undefined ? [] : [first, ...later.slice(1 - MAX_HOSTS)])
    return true
  }

  volumeOf(folder: string): (VolumeIdentity & { readonly firstSeenAtMs: number }) | null {
    const row = this.#statements
      .of('SELECT file_device, file_inode, first_seen_at FROM folders WHERE key = ?')
      .get(this.#paths.key(folder)) as
      | { file_device: string; file_inode: string; first_seen_at: number }
      | undefined
    if (row === undefined) return null
    const drive = this.#read<Drives>('folder_drives')?.[this.#paths.key(folder)]
    return { device: row.file_device, inode: row.file_inode, drive, firstSeenAtMs: row.first_seen_at }
  }

  /** All folders, including those that were removed from the settings. */
  knownFolders(): string[] {
    return (this.#statements.of('SELECT path FROM folders').all() as { path: string }[]).map(
      ({ path }) => path,
    )
  }

  /** `firstSeenAtMs` is stored only for a new folder. */
  setVolume(folder: string, volume: VolumeIdentity, firstSeenAtMs: number): void {
    this.#statements
      .of(
        `INSERT INTO folders (key, path, file_device, file_inode, first_seen_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET path = excluded.path, file_device = excluded.file_device, file_inode = excluded.file_inode`,
      )
      .run(this.#paths.key(folder), folder, volume.device, volume.inode, firstSeenAtMs)
    this.#keepDrive(folder, volume.drive)
    this.saveFirstSeen()
    this.#changed()
  }

  /** A UUID stays if the system does not show it for a while, for example early after the start. */
  #keepDrive(folder: string, drive: string | undefined): void {
    const stored = this.#read<Drives>('folder_drives')?.[this.#paths.key(folder)]
    if (drive !== undefined && (stored?.startsWith('uuid:') !== true || drive.startsWith('uuid:')))
      this.#setDrive(folder, drive)
  }

  #setDrive(folder: string, drive: string | undefined): void {
    const { [this.#paths.key(folder)]: _, ...others } = this.#read<Drives>('folder_drives') ?? {}
    this.#set('folder_drives', drive === undefined ? others : { ...others, [this.#paths.key(folder)]: drive })
  }

  /**
   * When this station first saw the folder, even if the journal was lost since then. `volumeOf` has the time of this
   * journal: the forecast needs it, because a new journal does not know the bytes of earlier hours.
   */
  firstSeenAtMs(folder: string): number | null {
    const times = [this.volumeOf(folder)?.firstSeenAtMs, this.#firstSeenFile.at(folder)]
    const known = times.filter((time) => typeof time === 'number')
    return known.length === 0 ? null : Math.min(...known)
  }

  /** Call also at the start: an older version wrote no file, and the last write may have failed. */
  saveFirstSeen(): void {
    const folders = this.#statements.of('SELECT path, first_seen_at AS firstSeenAtMs FROM folders').all()
    this.#firstSeenFile.add(folders as FirstSeen[])
  }

  /** Call when the user accepted a different volume, or when the folder counts as new. */
  forgetVolume(folder: string): void {
    this.#statements
      .of("UPDATE folders SET file_device = '', file_inode = '' WHERE key = ?")
      .run(this.#paths.key(folder))
    this.#setDrive(folder, undefined)
    const others = this.#listedFolders().filter((key) => key !== this.#paths.key(folder))
    this.#set('listed_folders', others.length === 0 ? null : others)
    const { [this.#paths.key(folder)]: _, ...times } = this.#listingTimes()
    this.#set('listing_times', others.length === 0 ? null : times)
    this.#changed()
  }

  /** The volume that the target folder was on when files were first moved there. */
  targetVolume(to: string): VolumeIdentity | null {
    return this.#read<Volumes>('move_targets')?.[this.#paths.key(to)] ?? null
  }

  setTargetVolume(to: string, { device, inode, drive }: VolumeIdentity): void {
    this.#set('move_targets', {
      ...this.#read<Volumes>('move_targets'),
      [this.#paths.key(to)]: { device, inode, drive },
    })
  }

  /**
   * Forgets targets that were removed from the settings. If a user chooses a target again, Sluice stores the volume
   * that the target has then.
   */
  forgetTargetsExcept(targets: readonly string[]): void {
    const storedTargets = Object.entries(this.#read<Volumes>('move_targets') ?? {})
    const configuredKeys = new Set(targets.map((to) => this.#paths.key(to)))
    const remaining = storedTargets.filter(([key]) => configuredKeys.has(key))
    if (remaining.length < storedTargets.length)
      this.#set('move_targets', remaining.length === 0 ? null : Object.fromEntries(remaining))
  }

  /** Set when Sluice removed a file from this folder early, but this freed no space. */
  noSpaceGained(folder: string): NoSpaceGained | null {
    return this.#read<Record<string, NoSpaceGained>>('no_room_made')?.[this.#paths.key(folder)] ?? null
  }

  setNoSpaceGained(folder: string, value: NoSpaceGained | null): void {
    const key = this.#paths.key(folder)
    const { [key]: _, ...others } = this.#read<Record<string, NoSpaceGained>>('no_room_made') ?? {}
    const updated = value === null ? others : { ...others, [key]: value }
    this.#set('no_room_made', Object.keys(updated).length === 0 ? null : updated)
  }

  #read<T>(key: string): T | null {
    const row = this.#statements.of('SELECT value FROM station WHERE key = ?').get(key) as
      | { value: string }
      | undefined
    return row === undefined ? null : (JSON.parse(row.value) as T)
  }

  #set(key: string, value: unknown): void {
    this.#write(key, value)
    this.#changed()
  }

  #write(key: string, value: unknown): void {
    if (value === null) this.#statements.of('DELETE FROM station WHERE key = ?').run(key)
    else
      this.#statements
        .of(
          'INSERT INTO station (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        )
        .run(key, JSON.stringify(value))
  }
}
