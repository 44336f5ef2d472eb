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

/** Whether every file in the watched folders of a drive is processed, so that it can be unplugged and reused. */
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
  /** Files in the folders at the last scan. Null before the first scan. */
  readonly files: number | null
  /** Recordings that are not safe, but that a user dismissed. They do not prevent unplugging. */
  readonly dismissed: number
  /** Empty if `safeToUnplug`. The count is the number of recordings, folders (missing, scanning) or paths (left-out). */
  readonly reasons: readonly { readonly kind: UnplugReason; readonly count: number }[]
}
