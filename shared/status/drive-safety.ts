/** Why a drive is not safe to unplug, most serious first. `missing`: a folder is missing, replaced or not usable. */
export const unplugReasons = [
  'missing',
  'scanning',
  'left-out',
  'needs-attention',
  'recording',
  'uploading',
  'waiting',
  'processing',
  'elsewhere',
] as const
export type UnplugReason = (typeof unplugReasons)[number]

/**
 * A drive is safe to unplug if Sluice has scanned every file in its watched folders, and every recording is safe or
 * dismissed.
 */
export type DriveSafety = {
  /** "CARD-04", `D:\`, or the mount point. */
  readonly name: string
  /** The watched folders on this drive. */
  readonly folders: readonly string[]
  /**
   * True for a drive that users can unplug. On Windows, every fixed drive except the system drive counts too. False if
   * unknown.
   */
  readonly removable: boolean
  readonly safeToUnplug: boolean
  /** The number of files in these folders at their last scans. Null until Sluice has scanned each folder. */
  readonly files: number | null
  /** Recordings that are not safe, but that a user dismissed. They do not prevent unplugging. */
  readonly dismissed: number
  /**
   * Empty if `safeToUnplug`. `count` is a number of folders for `missing` and `scanning`, of paths for `left-out`, and
   * of recordings for every other kind.
   */
  readonly reasons: readonly { readonly kind: UnplugReason; readonly count: number }[]
}
