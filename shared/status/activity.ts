import type { Owner, Tone } from '../words/words.ts'

/** What happened, as a person would tell it. */

export const activityGroups = ['recordings', 'trouble', 'station', 'settings'] as const
export type ActivityGroup = (typeof activityGroups)[number]

export const activityGroupWords: Readonly<Record<ActivityGroup, string>> = {
  recordings: 'Recordings',
  trouble: 'Trouble',
  station: 'Station',
  settings: 'Settings',
}

export type ActivityEntry = {
  /** Where it stands in the order of all; also what to ask for older ones by. */
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly group: ActivityGroup
  readonly tone: Tone
  /** Made when it is read, so that an old entry speaks today's words. */
  readonly sentence: string
  readonly recordingId: number | null
  readonly sessionId: string | null
  readonly requestId: string | null
  /** Whose job it was; null where it was nobody's. */
  readonly owner: Owner | null
}

/** Newest first. A search that has not found enough yet says from where to go on; null at the end of all. */
export type ActivityPage = { readonly entries: readonly ActivityEntry[]; readonly older: string | null }
