import { type NightPart, nightParts } from '../shared/status/night-parts.ts'
import { type ProblemCode, problemCodes } from '../shared/status/problem.ts'
import { type Standing, standings } from '../shared/status/standing.ts'
import type { FieldFix } from './refused-field.ts'

export const screens = [
  'overview',
  'recordings',
  'sessions',
  'activity',
  'folders',
  'service',
  'transfer',
  'monitoring',
  'general',
  'diagnostics',
] as const
export type Screen = (typeof screens)[number]

/** The link that opens the keyboard shortcuts, in a dialog over the current screen. */
export const KEYBOARD_SHORTCUTS = 'keys'

/** A filter for recordings: one standing, or one part of the night bar on Overview. */
export type StandingChoice = Standing | NightPart

const standingChoices: readonly StandingChoice[] = [...new Set([...standings, ...nightParts])]

export type Place = {
  readonly screen: Screen
  readonly recordingId?: number
  readonly problem?: ProblemCode
  readonly standing?: StandingChoice
  /** Only recordings of the current night. The night starts at the same time as on Overview. */
  readonly night?: boolean
  /** Only this recording and the recordings queued after it. */
  readonly queuedFrom?: number
  /** Only recordings of the night that began on this day, for example "2026-03-11". */
  readonly nightOf?: string
  /** On Folders: the field to correct. */
  readonly fix?: FieldFix
  /** On Folders: the path of a dropped folder to add. */
  readonly droppedPath?: string
  /** Differs at each visit, so that opening the same place again takes effect. */
  readonly visit?: number
}

/**
 * Parses the link of a tray item or notification: "recordings", "recordings/12", "recordings?problem=key-refused",
 * "recordings?standing=needs-attention". A link to an unknown screen opens the overview. Ignores unknown filters.
 */
export const parsePlace = (link: string): Place => {
  const [path = '', query = ''] = link.split('?')
  const [name, id] = path.split('/')
  const screen = screens.find((candidate) => candidate === name) ?? 'overview'
  const recordingId = Number(id)
  const filters = new URLSearchParams(query)
  const problem = problemCodes.find((code) => code === filters.get('problem'))
  const standing = standingChoices.find((choice) => choice === filters.get('standing'))
  return {
    screen,
    ...(Number.isInteger(recordingId) && recordingId > 0 ? { recordingId } : {}),
    ...(problem === undefined ? {} : { problem }),
    ...(standing === undefined ? {} : { standing }),
  }
}
