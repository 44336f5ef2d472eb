import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

export type FoundFile = { readonly path: string; readonly identity: FileIdentity }

export type ScanResult =
  | {
      readonly kind: 'scanned'
      readonly files: readonly FoundFile[]
      /** Paths inside the folder whose last name is no valid UTF-8, escaped for people: no string API can open them. */
      readonly unreadableNames: readonly string[]
      /** What the system refuses to show, with the system's code. */
      readonly unreadablePaths: readonly {
        readonly path: string
        readonly code: string
        readonly detail: string
      }[]
      /** Files under the name that one has only while it is on its way out. */
      readonly hiddenNames: readonly string[]
      readonly volume: VolumeIdentity
    }
  | { readonly kind: 'offline'; readonly detail: string }
  | { readonly kind: 'unusable'; readonly detail: string }

/** Tells a folder that came back from another volume mounted at the same path. */
export type VolumeIdentity = { readonly device: string; readonly inode: string }

/** Whether other PCs may write to a folder, which nobody announces here. */
export type Sharing = 'own' | 'unknown' | 'shared'

export type FolderAccess = {
  /**
   * The truth: walks the folder. Applies include/exclude/recursive; never follows symlinks out of it. `enter` hears of
   * every folder before its files are read.
   */
  readonly scan: (
    folder: FolderSettings,
    signal: AbortSignal,
    enter?: (path: string) => void | Promise<void>,
  ) => Promise<ScanResult>
  /** Hints only: each call of `hint` means "look soon". */
  readonly watch: (folder: FolderSettings, listener: WatchListener, sharing: Sharing) => FolderWatch
  readonly sharing: (path: string) => Promise<Sharing>
  /** Cheap presence check of the folder itself, for the 15-second heartbeat. */
  readonly volumeOf: (path: string) => Promise<VolumeIdentity | null>
}

/** A drive or share, as large as it is and with the room that this user has on it. */
export type Drive = {
  readonly device: string
  /** What people call it: `D:\`, `\\nas-02\capture\`, or where it is mounted. */
  readonly name: string
  readonly totalBytes: number
  readonly freeBytes: number
  /** People unplug it. False or missing if the system does not show it. */
  readonly removable?: boolean
}

export type Drives = {
  /** The drive of a folder; null where the folder is not there. Waits for the drive, however long that takes. */
  readonly of: (folder: string) => Promise<Drive | null>
}

export type FolderWatch = {
  /**
   * Every scan calls and awaits this for each folder before it reads the folder, so a file that the scan misses causes an
   * event. Null if the watch needs no scan to start: then `ready` follows.
   */
  readonly enter: ((path: string) => void | Promise<void>) | null
  /** Ends the events at once. */
  readonly close: () => void
}

export type WatchListener = {
  /** Every change causes an event from now on. A file that arrived before may have caused none, so scan once more. */
  readonly ready: () => void
  readonly hint: (path: string) => void
  readonly error: (detail: string) => void
}
