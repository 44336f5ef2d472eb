/** A pattern that the user may add to `exclude`, and what it matches in the folder. */
export type IgnoreProposal = {
  readonly pattern: string
  readonly matching: number
  /** Recordings that need attention. Sluice dismisses them if the user adds the pattern. */
  readonly needAttention: number
  /** Processed recordings. Nothing happens to them. */
  readonly safe: number
  /** Recordings that are still being written, waiting, uploading or being processed. They continue. */
  readonly inProgress: number
  /** The names of a few matches. Recordings that need attention come first. */
  readonly names: readonly string[]
}

export type IgnorePreview = {
  readonly folder: string
  /** The first pattern matches only the name of the chosen recording. The others match more names. */
  readonly proposals: readonly IgnoreProposal[]
  /** The pattern that the dialog preselects. */
  readonly suggested: string
}
