import {
  settingsSchema,
  type TransferSettings,
  type UploadWindow,
} from '../../../shared/settings/settings.ts'
import { mbitAsRate } from '../../../shared/words/format.ts'
import type { Choice } from '../../components/Choices.tsx'
import { parseTypedNumber } from '../../data/field-issues.ts'

export type Weekday = UploadWindow['days'][number]

export const weekdays: readonly Choice<Weekday>[] = [
  { id: 'mon', word: 'Mon' },
  { id: 'tue', word: 'Tue' },
  { id: 'wed', word: 'Wed' },
  { id: 'thu', word: 'Thu' },
  { id: 'fri', word: 'Fri' },
  { id: 'sat', word: 'Sat' },
  { id: 'sun', word: 'Sun' },
]

export type UploadHoursDraft = {
  readonly days: readonly Weekday[]
  readonly from: string
  readonly to: string
  readonly limit: string
}
export type TransferDraft = {
  readonly parallelRecordings: string
  readonly parallelParts: string
  readonly limit: string
  readonly windows: readonly UploadHoursDraft[]
  readonly pauseOnBattery: boolean
}

const limitText = (limit: number | undefined) => (limit === undefined ? '' : String(limit))

export const newWindow: UploadHoursDraft = {
  days: weekdays.map((day) => day.id),
  from: '18:00',
  to: '06:00',
  limit: '',
}

export const windowDrafts = (windows: readonly UploadWindow[]): readonly UploadHoursDraft[] =>
  windows.map(({ days, from, to, limit_mbit_per_s }) => ({
    days,
    from,
    to,
    limit: limitText(limit_mbit_per_s),
  }))

export const transferDraft = (transfer: TransferSettings): TransferDraft => ({
  parallelRecordings: String(transfer.parallel_recordings),
  parallelParts: String(transfer.parallel_parts),
  limit: limitText(transfer.limit_mbit_per_s),
  windows: windowDrafts(transfer.windows),
  pauseOnBattery: transfer.pause_on_battery,
})

const readLimit = (text: string) => {
  const limit = parseTypedNumber(text)
  return limit === undefined ? {} : { limit_mbit_per_s: limit }
}

const readWindow = ({ days, from, to, limit }: UploadHoursDraft) => ({ days, from, to, ...readLimit(limit) })

const hoursSchema = settingsSchema.shape.transfer.unwrap().shape.windows.unwrap().element.omit({ days: true })

/**
 * Accepts windows without days: the schema refuses them, but the grid can show them. Null if a time or limit is
 * invalid.
 */
export const parseWindows = (drafts: readonly UploadHoursDraft[]): readonly UploadWindow[] | null => {
  const windows: UploadWindow[] = []
  for (const draft of drafts) {
    const { days, ...hours } = readWindow(draft)
    const parsed = hoursSchema.safeParse(hours)
    if (!parsed.success) return null
    windows.push({ ...parsed.data, days: [...days] })
  }
  return windows
}

/** Converts a typed limit to MB/s, in words. Null if the text is not a positive number. */
export const limitInBytes = (text: string): string | null => {
  const limit = parseTypedNumber(text)
  return limit !== undefined && limit > 0 && Number.isFinite(limit) ? mbitAsRate(limit) : null
}

export const readTransfer = (draft: TransferDraft) => ({
  // An empty field becomes NaN, so that the schema refuses it instead of using the default silently.
  parallel_recordings: parseTypedNumber(draft.parallelRecordings) ?? Number.NaN,
  parallel_parts: parseTypedNumber(draft.parallelParts) ?? Number.NaN,
  ...readLimit(draft.limit),
  windows: draft.windows.map(readWindow),
  pause_on_battery: draft.pauseOnBattery,
})
