import { type ProblemCode, problemCodes } from '../shared/status.ts'
import type { Mend } from './mend.ts'

export const screens = [
  'overview',
  'recordings',
  'sessions',
  'folders',
  'service',
  'transfer',
  'appearance',
  'diagnostics',
] as const
export type Screen = (typeof screens)[number]

export type Place = {
  readonly screen: Screen
  readonly recordingId?: number
  readonly problem?: ProblemCode
  /** On the screen of the folders: the field to correct. */
  readonly mend?: Mend
  /** Counts up, so that what is asked for again is shown again. */
  readonly visit?: number
}

/**
 * Reads where a tray item or a notification points: "recordings", "recordings/12",
 * "recordings?problem=key-refused". Anything else is the overview.
 */
export const parsePlace = (to: string): Place => {
  const [path = '', query = ''] = to.split('?')
  const [name, id] = path.split('/')
  const screen = screens.find((candidate) => candidate === name) ?? 'overview'
  const recordingId = Number(id)
  const asked = new URLSearchParams(query).get('problem')
  const problem = problemCodes.find((code) => code === asked)
  return {
    screen,
    ...(Number.isInteger(recordingId) && recordingId > 0 ? { recordingId } : {}),
    ...(problem === undefined ? {} : { problem }),
  }
}
