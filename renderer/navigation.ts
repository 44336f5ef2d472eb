import { type NightPart, nightParts } from '../shared/night-parts.ts'
import { type ProblemCode, problemCodes, type Standing, standings } from '../shared/status.ts'
import type { Mend } from './mend.ts'

export const screens = [
  'overview',
  'recordings',
  'sessions',
  'activity',
  'folders',
  'service',
  'transfer',
  'monitoring',
  'appearance',
  'diagnostics',
] as const
export type Screen = (typeof screens)[number]

/** Asked for like a place, and no place: the list of keys opens over whichever is shown. */
export const KEYS = 'keys'

/** A standing, or a part of the night bar that is made of several. */
export type StandingChoice = Standing | NightPart

const standingChoices: readonly StandingChoice[] = [...new Set([...standings, ...nightParts])]

export type Place = {
  readonly screen: Screen
  readonly recordingId?: number
  readonly problem?: ProblemCode
  readonly standing?: StandingChoice
  /** Only what was recorded in the night, as the overview counts it. */
  readonly night?: boolean
  /** Only what waits from this recording on, in the order in which it is sent. */
  readonly queuedFrom?: number
  /** Only what was recorded in the night that began on this day, "2026-03-11". */
  readonly nightOf?: string
  /** On the screen of the folders: the field to correct. */
  readonly mend?: Mend
  /** On the screen of the folders: one that was dropped on the window, to be added. */
  readonly dropped?: string
  /** Counts up, so that what is asked for again is shown again. */
  readonly visit?: number
}

/**
 * Reads where a tray item or a notification points: "recordings", "recordings/12",
 * "recordings?problem=key-refused", "recordings?standing=needs-someone". Anything else is the overview.
 */
export const parsePlace = (to: string): Place => {
  const [path = '', query = ''] = to.split('?')
  const [name, id] = path.split('/')
  const screen = screens.find((candidate) => candidate === name) ?? 'overview'
  const recordingId = Number(id)
  const asked = new URLSearchParams(query)
  const problem = problemCodes.find((code) => code === asked.get('problem'))
  const standing = standingChoices.find((choice) => choice === asked.get('standing'))
  return {
    screen,
    ...(Number.isInteger(recordingId) && recordingId > 0 ? { recordingId } : {}),
    ...(problem === undefined ? {} : { problem }),
    ...(standing === undefined ? {} : { standing }),
  }
}
