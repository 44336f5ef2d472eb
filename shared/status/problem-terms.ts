/** Who can fix a problem. */
export const problemOwners = ['technician', 'admin', 'service'] as const
export type ProblemOwner = (typeof problemOwners)[number]

/**
 * What ends a problem. `time`: it clears by itself. `settings`, `key`, `file`: a user corrects these, and Sluice
 * notices. `answer`: the operators of the service fix it. `person`: a user decides. `folder`: the folder has to return
 * to the settings. `dismissed`: a user dismissed the problem. It ends with a change of the file, a successful retry or
 * an undo of the dismissal.
 */
export const endings = ['time', 'settings', 'key', 'file', 'answer', 'person', 'folder', 'dismissed'] as const
export type EndsBy = (typeof endings)[number]

export type ProblemText = {
  readonly owner: ProblemOwner
  readonly sentence: string
  readonly next: string
  /** The default. The retry policy may set a different value. */
  readonly endsBy: EndsBy
}
