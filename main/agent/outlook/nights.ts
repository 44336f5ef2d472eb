import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { Nights } from '../../../shared/status/night-figures.ts'
import { nightsUntil } from '../../../shared/status/nights.ts'
import type { StandingContext } from '../domain/standing.ts'
import type { Journal } from '../journal/journal.ts'

const SHOWN_NIGHTS = 30

export const nightFiguresOf = (
  { nights }: Journal,
  folders: readonly FolderSettings[],
  context: StandingContext,
  nowMs: number,
): Nights =>
  nights.figures(
    nightsUntil(nowMs, SHOWN_NIGHTS),
    context,
    folders.map(({ path }) => path),
  )
