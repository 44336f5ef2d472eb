import { countIn } from '../../../shared/status/night-parts.ts'
import { hasUncheckedFolder, type Status } from '../../../shared/status/status.ts'
import { safeFacts, safeSentence } from '../../../shared/words/words.ts'
import type { Notice } from './notice.ts'

/** Before this hour the night is not over, even if everything is uploaded. */
const MORNING_HOUR = 6
/** If Sluice starts after this hour, it assumes that unfinished recordings are from the day, not the night. */
const NOON_HOUR = 12

/** The `since` of the last known night, and whether the notice about its end is still due. */
export type NightMemory = { readonly since: string; readonly isDue: boolean } | null

export const nightNotice = ({ report: { recorded, standings }, folders }: Status): Notice => {
  const hasUnchecked = hasUncheckedFolder(folders)
  return {
    title: 'The night’s recordings are done',
    body:
      standings.safe === recorded && !hasUnchecked
        ? safeSentence(recorded, recorded)
        : safeFacts(standings, { hasUncheckedFolder: hasUnchecked }).join(' · '),
    to: 'overview',
  }
}

/** Recordings that need attention do not delay the notification about the night. */
const unfinishedCount = ({ standings }: Status['report']): number =>
  countIn(standings, 'here') + countIn(standings, 'at-service')

/** True while the notice about the end of this night is due. It appears once, even if recordings are added later. */
export const isNightNoticeDue = (memory: NightMemory, { report }: Status, now: Date): boolean => {
  if (now.getHours() < MORNING_HOUR) return true
  if (memory?.since !== report.since) return unfinishedCount(report) > 0 && now.getHours() < NOON_HOUR
  return memory.isDue && report.recorded > 0
}

export const isNightDone = ({ report }: Status, now: Date): boolean =>
  now.getHours() >= MORNING_HOUR && report.recorded > 0 && unfinishedCount(report) === 0
