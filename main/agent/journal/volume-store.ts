import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import { driveToStore } from '../domain/same-drive.ts'
import type { VolumeIdentity } from '../ports/folders.ts'
import { type FirstSeen, FirstSeenFile } from './first-seen-file.ts'
import { Statements, transaction } from './statements.ts'
import type { StationValues } from './station-values.ts'

type Volumes = Readonly<Record<string, VolumeIdentity>>

/** The drive identifier of each folder, by folder key. */
type Drives = Readonly<Record<string, string>>

/** An early removal freed no space, so early removals pause for a day, or until `wantedBytes` are free. */
export type NoSpaceGained = { readonly atMs: number; readonly wantedBytes: number }

/**
 * Stores the volume of each watched folder and target folder, and which early removals freed no space. Also stores when
 * Sluice first saw and first listed each watched folder.
 */
export class VolumeStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #values: StationValues
  readonly #now: () => number
  readonly #changed: () => void
  readonly #paths: Paths
  readonly #firstSeenFile: FirstSeenFile

  constructor(
    db: Database,
    values: StationValues,
    now: () => number,
    changed: () => void,
    paths: Paths,
    dataFolder: string,
  ) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#values = values
    this.#now = now
    this.#changed = changed
    this.#paths = paths
    this.#firstSeenFile = new FirstSeenFile(dataFolder, paths)
  }

  volumeOf(folder: string): (VolumeIdentity & { readonly firstSeenAtMs: number }) | null {
    const row = this.#statements
      .of('SELECT file_device, file_inode, first_seen_at FROM folders WHERE key = ?')
      .get(this.#paths.key(folder)) as
      | { file_device: string; file_inode: string; first_seen_at: number }
      | undefined
    if (row === undefined) return null
    const drive = this.#values.read<Drives>('folder_drives')?.[this.#paths.key(folder)]
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
    this.#keepDrive(folder, volume)
    this.saveFirstSeen()
    this.#changed()
  }

  #keepDrive(folder: string, volume: VolumeIdentity): void {
    const stored = this.#values.read<Drives>('folder_drives')?.[this.#paths.key(folder)]
    const drive = driveToStore({ drive: stored }, volume)
    if (drive !== stored) this.#setDrive(folder, drive)
  }

  #setDrive(folder: string, drive: string | undefined): void {
    const { [this.#paths.key(folder)]: _, ...others } = this.#values.read<Drives>('folder_drives') ?? {}
    this.#values.set(
      'folder_drives',
      drive === undefined ? others : { ...others, [this.#paths.key(folder)]: drive },
    )
  }

  /**
   * When this station first saw the folder, even if the journal was lost since then. The forecast uses the time in the
   * journal instead, because a new journal does not know the bytes of earlier hours.
   */
  firstSeenAtMs(folder: string): number | null {
    const times = [this.volumeOf(folder)?.firstSeenAtMs, this.#firstSeenFile.at(folder)]
    const known = times.filter((time) => typeof time === 'number')
    return known.length === 0 ? null : Math.min(...known)
  }

  /**
   * Copies the times from the journal into the first-seen file. Also call this at the start, because the last write may
   * have failed.
   */
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
    this.#values.set('listed_folders', others.length === 0 ? null : others)
    const { [this.#paths.key(folder)]: _, ...times } = this.#listingTimes()
    this.#values.set('listing_times', others.length === 0 ? null : times)
    this.#changed()
  }

  /**
   * When Sluice first listed the folder completely with this journal; null before that. Files from before this time may
   * have a session that this journal does not know. Older versions did not store this time. For their
   * folders, the method returns when Sluice first saw the folder.
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
      this.#values.set('listing_times', { ...this.#listingTimes(), [key]: atMs })
      this.#values.set('listed_folders', [...this.#listedFolders(), key])
    })
  }

  /** Call after the journal was restored or rebuilt, because it may not know the newest recordings. */
  forgetListings(): void {
    this.#values.set('listed_folders', null)
    this.#values.set('listing_times', null)
  }

  #listingTimes(): Readonly<Record<string, number>> {
    return this.#values.read<Record<string, number>>('listing_times') ?? {}
  }

  #listedFolders(): readonly string[] {
    return this.#values.read<string[]>('listed_folders') ?? []
  }

  /** The volume that the target folder was on when files were first moved there. */
  targetVolume(to: string): VolumeIdentity | null {
    return this.#values.read<Volumes>('move_targets')?.[this.#paths.key(to)] ?? null
  }

  setTargetVolume(to: string, { device, inode, drive }: VolumeIdentity): void {
    this.#values.set('move_targets', {
      ...this.#values.read<Volumes>('move_targets'),
      [this.#paths.key(to)]: { device, inode, drive },
    })
  }

  /**
   * Forgets targets that were removed from the settings. If a user later chooses the same target again, Sluice stores
   * the volume that it finds at that time.
   */
  forgetTargetsExcept(targets: readonly string[]): void {
    const storedTargets = Object.entries(this.#values.read<Volumes>('move_targets') ?? {})
    const configuredKeys = new Set(targets.map((to) => this.#paths.key(to)))
    const remaining = storedTargets.filter(([key]) => configuredKeys.has(key))
    if (remaining.length < storedTargets.length)
      this.#values.set('move_targets', remaining.length === 0 ? null : Object.fromEntries(remaining))
  }

  /** Not null if Sluice removed a file from this folder early, and this freed no space. */
  noSpaceGained(folder: string): NoSpaceGained | null {
    return this.#values.read<Record<string, NoSpaceGained>>('no_room_made')?.[this.#paths.key(folder)] ?? null
  }

  setNoSpaceGained(folder: string, value: NoSpaceGained | null): void {
    const key = this.#paths.key(folder)
    const { [key]: _, ...others } = this.#values.read<Record<string, NoSpaceGained>>('no_room_made') ?? {}
    const updated = value === null ? others : { ...others, [key]: value }
    this.#values.set('no_room_made', Object.keys(updated).length === 0 ? null : updated)
  }
}
