import type { UpdateSettings } from '../../../shared/settings/settings.ts'
import { parseTypedNumber } from '../../data/field-issues.ts'
import { type UploadHoursDraft, windowDrafts } from '../transfer/transfer-draft.ts'

export type UpdatesDraft = {
  readonly mode: UpdateSettings['mode']
  readonly feed: string
  readonly channel: string
  readonly version: string
  readonly percent: string
  readonly hours: readonly UploadHoursDraft[]
  readonly waitAtMost: string
}

export const updatesDraft = (updates: UpdateSettings): UpdatesDraft => ({
  mode: updates.mode,
  feed: updates.feed ?? '',
  channel: updates.channel,
  version: updates.version ?? '',
  percent: String(updates.percent),
  hours: windowDrafts(updates.hours),
  waitAtMost: updates.wait_at_most,
})

/** Leaves out an empty field. Only for fields that have no default. */
const given = <K extends string>(name: K, text: string) => (text.trim() === '' ? {} : { [name]: text })

export const readUpdates = (draft: UpdatesDraft) => ({
  mode: draft.mode,
  ...given('feed', draft.feed),
  channel: draft.channel,
  ...given('version', draft.version),
  // An empty field becomes NaN, so that the schema refuses it instead of using the default silently.
  percent: parseTypedNumber(draft.percent) ?? Number.NaN,
  hours: draft.hours.map(({ days, from, to }) => ({ days, from, to })),
  wait_at_most: draft.waitAtMost,
})
