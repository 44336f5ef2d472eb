import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

export type FoundFile = { readonly path: string; readonly identity: FileIdentity }

export type ScanResult =
  | {
      readonly kind: 'scanned'
      readonly files: readonly FoundFile[]
      /**
       * Paths inside the folder, escaped for display because their last part is not valid UTF-8. No string API can open
       * them.
       */
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

/**
 * Identifies a folder. If the folder comes back, this shows whether it is the same one or a folder on another volume.
 */
export type VolumeIdentity = {
  readonly device: string
  readonly inode: string
  /** What identifies the drive if its device number is reused. Undefined if the system does not report it. */
  readonly drive?: string | undefined
  /** True if the path itself is a symbolic link. */
  readonly isLink?: boolean
}

/** Whether other PCs may write to a folder. Their writes cause no file event on this PC. */
export type Sharing = 'own' | 'unknown' | 'shared'

/** What a scan has shown about a folder. Sluice uses it to decide how to watch the folder. */
export type ScannedFolder = { readonly sharing: Sharing; readonly files: number }

export type FolderAccess = {
  /**
   * Walks the folder. The result of a scan is authoritative, and events are only hints. Applies the settings `include`,
   * `exclude` and `recursive`, and never follows links. Calls `enter` for every folder before it reads the folder's
   * files.
   */
  readonly scan: (
    folder: FolderSettings,
    signal: AbortSignal,
    enter?: (path: string) => void | Promise<void>,
  ) => Promise<ScanResult>
  /** Watches the folder. Each call of the listener's `hint` only means "scan soon". */
  readonly watch: (folder: FolderSettings, listener: WatchListener, scanned: ScannedFolder) => FolderWatch
  readonly sharing: (path: string) => Promise<Sharing>
  /**
   * Reads only the folder itself, not its files, so that Sluice can check every 15 seconds whether the folder is
   * there.
   */
  readonly volumeOf: (path: string) => Promise<VolumeIdentity | null>
}

/** A drive or share, with its size and the free space that this user may use. */
export type Drive = {
  readonly device: string
  /** The name that users see: `D:\`, `\\nas-02\capture\`, or the mount point. */
  readonly name: string
  readonly totalBytes: number
  readonly freeBytes: number
  /** Whether users can unplug the drive. False or missing if the system does not report it. */
  readonly removable?: boolean
}

export type Drives = {
  /** The drive of a folder; null if the folder is missing or cannot be read. Waits for the drive, without a timeout. */
  readonly of: (folder: string) => Promise<Drive | null>
}

export type FolderWatch = {
  /**
   * Every scan calls and awaits this function for each folder before it reads the folder. So if the scan misses a
   * file, that file causes an event. Null if the watch needs no scan to start. Then it calls `WatchListener.ready` as
   * soon as it reports every change.
   */
  readonly enter: ((path: string) => void | Promise<void>) | null
  /** Ends the events at once. */
  readonly close: () => void
}

export type WatchListener = {
  /**
   * From this call on, every change causes an event. A file that arrived earlier may have caused no event, so scan
   * once more.
   */
  readonly ready: () => void
  readonly hint: (path: string) => void
  readonly error: (detail: string) => void
}
