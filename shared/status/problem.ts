import { conditionProblemCodes } from './conditions.ts'
import type { EndsBy, ProblemOwner } from './problem-terms.ts'

export const problemCodes = [
  'empty-file',
  'file-busy',
  'file-unreadable',
  'file-vanished',
  'file-too-large',
  'marker-outdated',
  'marker-missing',
  'file-name-not-text',
  'file-damaged',
  'folder-offline',
  'folder-replaced',
  'folder-unreadable',
  'folder-not-watched',
  'folder-removed',
  'folder-entry-unreadable',
  'folder-path-too-long',
  'site-refused',
  'device-refused',
  'notes-refused',
  'placeholder-unfilled',
  'name-refused',
  'part-size-refused',
  'size-refused',
  'checksum-refused',
  'parts-impossible',
  'upload-refused',
  'checksum-mismatch',
  'completion-pending',
  'processing-failed',
  'recording-incomplete',
  'take-held',
  'session-deleted',
  'session-elsewhere',
  'session-mismatch',
  'session-denied',
  'session-reopened',
  'look-up-failed',
  ...conditionProblemCodes,
  'unexpected',
] as const

export type ProblemCode = (typeof problemCodes)[number]

/** The reason why a recording or the station waits, who has to act, what ends it, and when Sluice retries. */
export type Problem = {
  readonly code: ProblemCode
  readonly owner: ProblemOwner
  /** The problem, followed by the service's or system's own message in brackets, if there is one. */
  readonly sentence: string
  readonly next: string
  readonly endsBy: EndsBy
  /** When Sluice retries by itself. */
  readonly nextAt: string | null
  readonly requestId: string | null
  /** The parameter that the service refused (§7), if it named one. */
  readonly param: string | null
}

/** A problem of the whole station. */
export type StationCondition = Problem & {
  /** When the condition began. Journals of older versions do not have the time. */
  readonly since?: string
}

/** True if a user caused the wait: by removing the folder from the settings, or by dismissing the problem. */
export const isOnPurpose = ({ endsBy }: Pick<Problem, 'endsBy'>): boolean =>
  endsBy === 'folder' || endsBy === 'dismissed'

/** True if a person has to act: the problem does not clear by itself, and no user caused the wait on purpose. */
export const problemNeedsAttention = (problem: Pick<Problem, 'endsBy'>): boolean =>
  problem.endsBy !== 'time' && !isOnPurpose(problem)
