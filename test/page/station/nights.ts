import { problemOf } from '../../../main/agent/domain/problems.ts'
import { openJournal } from '../../../main/agent/journal/journal.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { nightsUntil, QUARTER_MS } from '../../../shared/status/nights.ts'
import { copyRecording } from '../../support/journal-file.ts'
import { nameOf } from '../scripted/night.ts'
import { writeRecording } from './recordings.ts'
import { writeUploadRates } from './tonight.ts'

/**
 * Writes the recordings of eight weeks. The hall records every night, but is silent tonight. The track pauses at
 * weekends, and is silent on one earlier night.
 */

const NIGHTS = 57
/** Numbers of nights before tonight, as in the next two constants. */
const NIGHTS_PC_WAS_OFF: readonly number[] = [11, 12]
const NIGHT_WITH_PROBLEMS = 6
const EARLIER_SILENT_NIGHT = 19
const HOUR_MS = 3_600_000

export const writeNights = (
  data: string,
  clock: { nowMs: number },
  [hall, track]: readonly FolderSettings[],
): void => {
  if (hall === undefined || track === undefined) throw new Error('two folders are needed')
  const atMs = clock.nowMs
  const nights = nightsUntil(atMs, NIGHTS)
  const { journal } = openJournal(data, () => clock.nowMs)
  const templateIds = journal.transaction(() => {
    journal.station.setService('https://api.example.com')
    writeUploadRates(journal, clock, [hall, track], 'silent')
    for (const folder of [hall, track])
      nights.forEach((night, index) => {
        if (NIGHTS_PC_WAS_OFF.includes(NIGHTS - 1 - index)) return
        for (let ms = night.startMs; ms < Math.min(night.endMs, atMs); ms += QUARTER_MS)
          journal.nights.noteWatched(folder.path, ms)
      })
    journal.nights.noteSilence(track.path, nights[NIGHTS - 1 - EARLIER_SILENT_NIGHT]?.name ?? '')
    const writeTemplate = (folder: FolderSettings, index: number) =>
      writeRecording({ journal, clock, folders: [folder] }, index, { state: 'processed' }, nights[0]!.startMs)
    return { hall: writeTemplate(hall, 0), track: writeTemplate(track, 1) }
  })
  const templateTime = /\d{8}_\d{4}/.exec(nameOf(0, hall.site, nights[0]!.startMs))?.[0] ?? ''
  nights.forEach((night, index) => {
    const nightsAgo = NIGHTS - 1 - index
    if (NIGHTS_PC_WAS_OFF.includes(nightsAgo)) return
    const weekday = new Date(night.startMs).getDay()
    const copy = (templateId: number, fromMs: number, count: number, everyMs: number) => {
      const numberedColumn = (column: string) =>
        `replace(recordings.${column}, '${templateTime}', printf('%s_%02d', '${night.name.replaceAll('-', '')}', counter.n))`
      const at = `${fromMs} + counter.n * ${everyMs}`
      const times = { found_at: at, changed_at: at }
      const names = {
        name: numberedColumn('name'),
        path: numberedColumn('path'),
        path_key: numberedColumn('path_key'),
      }
      copyRecording(data, count + 1, { ...times, ...names }, templateId)
    }
    const spread = (index * 7) % 5
    if (nightsAgo > 0) copy(templateIds.hall, night.startMs + 1.5 * HOUR_MS, 24 + spread, 20 * 60_000)
    if (weekday !== 5 && weekday !== 6 && nightsAgo !== EARLIER_SILENT_NIGHT)
      copy(templateIds.track, night.startMs + 2 * HOUR_MS, nightsAgo === 0 ? 9 : 8 + spread, 45 * 60_000)
  })
  // Four recordings of one night need attention, because their sessions were deleted at the service.
  const night = nights[NIGHTS - 1 - NIGHT_WITH_PROBLEMS]
  journal.transaction(() => {
    const recordingsOfNight = journal.views
      .everything()
      .filter(({ foundAtMs }) => foundAtMs >= (night?.startMs ?? 0) && foundAtMs < (night?.endMs ?? 0))
    for (const recording of recordingsOfNight.slice(0, 4))
      journal.recordings.hold(recording, { attempts: 1, untilMs: 0, problem: problemOf('session-deleted') })
  })
  journal.close()
}
