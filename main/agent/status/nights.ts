import { nightsUntil } from '../../../shared/nights.ts'
import type { FolderSettings } from '../../../shared/settings.ts'
import type { Nights } from '../../../shared/status.ts'
import type { Viewpoint } from '../domain/standing.ts'
import type { Journal } from '../journal/journal.ts'

const STRIP = 30
const OF_A_FOLDER = 7

export const nightsOf = (
  { nights }: Journal,
  folders: readonly FolderSettings[],
  view: Viewpoint,
  nowMs: number,
): Nights => {
  const lately = nightsUntil(nowMs, STRIP)
  return {
    station: nights.figures(lately, view, null),
    folders: folders.map(({ path }) => ({
      path,
      nights: nights.figures(lately.slice(-OF_A_FOLDER), view, path),
    })),
  }
}
