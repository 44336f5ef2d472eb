import type { NightFigures } from '../../shared/status/night-figures.ts'
import { countIn, nightParts } from '../../shared/status/night-parts.ts'
import { formatBytes, formatCount, plural } from '../../shared/words/format.ts'
import { nightPartWords } from '../../shared/words/words.ts'

/** `off`: Sluice did not watch. `quiet`: nothing was recorded, and no folder counts as silent. */
export type NightKind = 'recorded' | 'silent' | 'off' | 'quiet'

export const nightKind = ({ recorded, silentFolders, watched }: NightFigures): NightKind => {
  if (recorded > 0) return 'recorded'
  if (silentFolders > 0) return 'silent'
  return watched ? 'quiet' : 'off'
}

/** Fewer nights than this allow no comparison. */
export const MIN_NIGHTS = 3

/** The nights since Sluice first watched, oldest first. */
export const knownNights = (nights: readonly NightFigures[]): readonly NightFigures[] => {
  const firstIndex = nights.findIndex((night) => nightKind(night) !== 'off')
  return firstIndex < 0 ? [] : nights.slice(firstIndex)
}

export const nightDetails = (night: NightFigures): readonly string[] => {
  const parts = nightParts
    .map((part) => ({ part, count: countIn(night.standings, part) }))
    .filter(({ count }) => count > 0)
    .map(({ part, count }) => `${formatCount(count)} ${nightPartWords[part][count === 1 ? 'one' : 'many']}`)
  const silentSentences =
    night.silentFolders === 0 ? [] : [`${plural(night.silentFolders, 'folder was', 'folders were')} silent`]
  switch (nightKind(night)) {
    case 'recorded':
      return [
        `${plural(night.recorded, 'recording')}, ${formatBytes(night.bytes)}`,
        parts.join(', '),
        ...silentSentences,
      ]
    case 'silent':
      return ['Nothing was recorded', ...silentSentences]
    case 'quiet':
      return ['Nothing was recorded or expected']
    case 'off':
      return ['No data: this PC or Sluice was off']
  }
}

const sumOf = (nights: readonly NightFigures[], numberOf: (night: NightFigures) => number) =>
  nights.reduce((sum, night) => sum + numberOf(night), 0)

/** "212 recordings, 1.4 TB in seven nights, 2 need attention". Leaves out the nights before Sluice first watched. */
export const sevenNightsWords = (nights: readonly NightFigures[]): string => {
  const recorded = sumOf(nights, (night) => night.recorded)
  const knownCount = knownNights(nights).length
  if (knownCount === 0) return 'nothing yet'
  const span = knownCount === 7 ? 'seven nights' : plural(knownCount, 'night')
  if (recorded === 0) return `nothing in ${span}`
  const needAttention = sumOf(nights, ({ standings }) => countIn(standings, 'needs-attention'))
  const dismissed = sumOf(nights, ({ standings }) => countIn(standings, 'dismissed'))
  return [
    `${plural(recorded, 'recording')}, ${formatBytes(sumOf(nights, ({ bytes }) => bytes))} in ${span}`,
    ...(needAttention === 0 ? [] : [plural(needAttention, 'needs attention', 'need attention')]),
    ...(dismissed === 0 ? [] : [`${formatCount(dismissed)} dismissed`]),
  ].join(', ')
}
