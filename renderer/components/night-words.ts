import { countIn, nightParts } from '../../shared/status/night-parts.ts'
import type { NightFigures } from '../../shared/status/status.ts'
import { formatBytes, formatCount, plural } from '../../shared/words/format.ts'
import { nightPartWords } from '../../shared/words/words.ts'

/** `off`: Sluice did not run. `quiet`: nothing was recorded, and nothing was expected. */
export type NightKind = 'recorded' | 'silent' | 'off' | 'quiet'

export const nightKind = ({ recorded, silentFolders, watched }: NightFigures): NightKind => {
  if (recorded > 0) return 'recorded'
  if (silentFolders > 0) return 'silent'
  return watched ? 'quiet' : 'off'
}

/** With fewer nights there is nothing to compare. */
export const FEWEST_NIGHTS = 3

/** The nights since Sluice first ran, oldest first. */
export const knownNights = (nights: readonly NightFigures[]): readonly NightFigures[] => {
  const first = nights.findIndex((night) => nightKind(night) !== 'off')
  return first < 0 ? [] : nights.slice(first)
}

export const nightParticulars = (night: NightFigures): readonly string[] => {
  const parts = nightParts
    .map((part) => ({ part, count: countIn(night.standings, part) }))
    .filter(({ count }) => count > 0)
    .map(({ part, count }) => `${formatCount(count)} ${nightPartWords[part][count === 1 ? 'one' : 'many']}`)
  const silent =
    night.silentFolders === 0 ? [] : [`${plural(night.silentFolders, 'folder was', 'folders were')} silent`]
  switch (nightKind(night)) {
    case 'recorded':
      return [
        `${plural(night.recorded, 'recording')}, ${formatBytes(night.bytes)}`,
        parts.join(', '),
        ...silent,
      ]
    case 'silent':
      return ['Nothing was recorded', ...silent]
    case 'quiet':
      return ['Nothing was recorded or expected']
    case 'off':
      return ['No data: this PC or Sluice was off']
  }
}
