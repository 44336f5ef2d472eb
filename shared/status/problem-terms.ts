/** Who can fix a problem. */
export const problemOwners = ['technician', 'admin', 'service'] as const
export type ProblemOwner = (typeof problemOwners)[number]

/**
 * What ends a problem. `time`: it clears by itself. `settings`, `key`, `file`: a user corrects these, and Sluice
 * notices. `answer`: the operators of the service fix it. `person`: a user decides. `folder`: an administrator removed
 * the folder from the settings, and only its return ends the wait. `dismissed`: a user dismissed it. Only a change of
 * the file, a successful retry or an undo of the dismissal ends it.
 */
export const endings = ['time', 'settings', 'key', 'file', 'answer', 'person', 'folder', 'dismissed'] as const
export type EndsBy = (typeof endings)[number]

export type ProblemText = {
  readonly owner: ProblemOwner
  readonly sentence: string
  readonly next: string
  /** The retry policy may override this value. */
  readonly endsBy: EndsBy
}
