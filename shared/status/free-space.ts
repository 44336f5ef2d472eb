/** A drive or share that recordings are written to. */
export type DriveSpace = {
  /** `D:\`, `\\nas-02\capture`, or the mount point. Until the drive answers, the path of one of its folders. */
  readonly name: string
  /** The watched folders on this drive. */
  readonly folders: readonly string[]
  /** Null until the drive answers for the first time. Outdated while `answering` is false. */
  readonly space: { readonly totalBytes: number; readonly freeBytes: number } | null
  readonly answering: boolean
  /** True for a drive that users can unplug. Missing if unknown. */
  readonly removable?: boolean
  /** The size of the safe files that are still in these folders. Null until a scan of each folder has counted them. */
  readonly safeBytes: number | null
  readonly fills: Filling
  /** True if the drive will probably be full before the next noon, or is almost full. */
  readonly low: boolean
}

export type Filling =
  /** Sluice has watched the folders for too short a time, or the drive has never answered. */
  | { readonly kind: 'unknown' }
  /** Usually nothing is recorded on this drive. */
  | { readonly kind: 'never' }
  | { readonly kind: 'tonight'; readonly at: string }
  /** Full in this many nights, at the usual rate and if nothing is deleted. */
  | { readonly kind: 'nights'; readonly nights: number }
  /** Not full within the 60 nights of the forecast. */
  | { readonly kind: 'long' }
