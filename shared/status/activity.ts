import type { Owner, Tone } from '../words/words.ts'

/** The history of the station, in sentences for the user. */

export const activityGroups = ['recordings', 'trouble', 'station', 'settings'] as const
export type ActivityGroup = (typeof activityGroups)[number]

export const activityGroupWords: Readonly<Record<ActivityGroup, string>> = {
  recordings: 'Recordings',
  trouble: 'Trouble',
  station: 'Station',
  settings: 'Settings',
}

export type ActivityEntry = {
  /** The position of the entry among all entries. It is also the cursor for older entries. */
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly group: ActivityGroup
  readonly tone: Tone
  /** The journal does not store the sentence, so old entries use today's wording. */
  readonly sentence: string
  readonly recordingId: number | null
  readonly sessionId: string | null
  readonly requestId: string | null
  /** The person who had to act. Null if the entry needed no action. */
  readonly owner: Owner | null
}

/** Newest first. A search may return a page that is not full: continue at `older` until it is null. */
export type ActivityPage = { readonly entries: readonly ActivityEntry[]; readonly older: string | null }
