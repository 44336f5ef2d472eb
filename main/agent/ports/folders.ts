import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

export type FoundFile = { readonly path: string; readonly identity: FileIdentity }

export type ScanResult =
  | {
      readonly kind: 'scanned'
      readonly files: readonly FoundFile[]
      /** Paths that Sluice cannot open, because the name is not valid UTF-8. They are escaped for display. */
      readonly unreadableNames: readonly string[]
      /** Paths that the system refuses to list, with the system's error code. */
      readonly unreadablePaths: readonly {
        readonly path: string
        readonly code: string
        readonly detail: string
      }[]
      /** Files with the temporary name that Sluice gives a file during its removal. */
      readonly removalNames: readonly string[]
      readonly volume: VolumeIdentity
    }
  | { readonly kind: 'offline'; readonly detail: string }
  | { readonly kind: 'unusable'; readonly detail: string }

/** Identifies a folder, so that Sluice notices if a different folder takes its place. */
export type VolumeIdentity = {
  readonly device: string
  readonly inode: string
  /** Identifies the drive even if Linux reuses its device number. Undefined if the system reports no such identity. */
  readonly drive?: string | undefined
  /** True if the path itself is a symbolic link. */
  readonly isLink?: boolean
}

/** Whether other PCs may write to a folder. Their writes cause no file event on this PC. */
export type Sharing = 'own' | 'unknown' | 'shared'

/** These facts decide how Sluice watches the folder. `files`: the number of files that the scan found. */
export type ScannedFolder = { readonly sharing: Sharing; readonly files: number }

export type FolderAccess = {
  /**
   * Finds the files of the folder, by the settings `include`, `exclude` and `recursive`. Follows no links. Calls
   * `enter` for every folder before it reads the folder.
   */
  readonly scan: (
    folder: FolderSettings,
    signal: AbortSignal,
    enter?: (path: string) => void | Promise<void>,
  ) => Promise<ScanResult>
  /** Watches the folder. Each call of the listener's `hint` only means "scan soon". */
  readonly watch: (folder: FolderSettings, listener: WatchListener, scanned: ScannedFolder) => FolderWatch
  readonly sharing: (path: string) => Promise<Sharing>
  /** Sluice checks every 15 seconds whether the folder is there, so this call does not read the files. */
  readonly volumeOf: (path: string) => Promise<VolumeIdentity | null>
}

/** A drive or share, with its size and the free space that this user may use. */
export type Drive = {
  readonly device: string
  /** The name that users see: `D:\`, `\\nas-02\capture\`, or the mount point. */
  readonly name: string
  readonly totalBytes: number
  readonly freeBytes: number
  /** Whether users can unplug the drive. False or missing if this is unknown. */
  readonly removable?: boolean
}

export type Drives = {
  /** The drive of a folder; null if the folder is missing or cannot be read. Waits for the drive, without a timeout. */
  readonly of: (folder: string) => Promise<Drive | null>
}

export type FolderWatch = {
  /**
   * Starts the events of a folder. Every scan awaits this function for each folder before it reads the folder, so a
   * file that the scan misses causes an event. Null if the watch starts without a scan. The watch then calls
   * `WatchListener.ready`.
   */
  readonly enter: ((path: string) => void | Promise<void>) | null
  /** Ends the events at once. */
  readonly close: () => void
}

export type WatchListener = {
  /** After this call, every change causes an event. Scan once more, because earlier changes may have caused none. */
  readonly ready: () => void
  readonly hint: (path: string) => void
  readonly error: (detail: string) => void
}
