import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { Nights } from '../../../shared/status/night-figures.ts'
import { nightsUntil } from '../../../shared/status/nights.ts'
import type { StandingContext } from '../domain/standing.ts'
import type { Journal } from '../journal/journal.ts'

const NIGHTS_SHOWN = 30

export const nightsOf = (
  { nights }: Journal,
  folders: readonly FolderSettings[],
  view: StandingContext,
  nowMs: number,
): Nights =>
  nights.figures(
    nightsUntil(nowMs, NIGHTS_SHOWN),
    view,
    folders.map(({ path }) => path),
  )
