/** What one exclude pattern would match among the known recordings of a folder. */
export type IgnoreProposal = {
  readonly pattern: string
  readonly matching: number
  /** Those that need attention. They would be dismissed. */
  readonly needAttention: number
  /** Those that are processed. Nothing happens to them. */
  readonly safe: number
  /** Those that are recorded, waiting, uploading or being processed. They continue. */
  readonly onTheWay: number
  /** The first of them; those that need attention come first. */
  readonly names: readonly string[]
}

export type IgnorePreview = {
  readonly folder: string
  /** The first matches only this file. */
  readonly proposals: readonly IgnoreProposal[]
  /** The pattern to offer first. */
  readonly suggested: string
}
