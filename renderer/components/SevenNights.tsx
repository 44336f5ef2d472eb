import { countIn } from '../../shared/status/night-parts.ts'
import { nightWord } from '../../shared/status/nights.ts'
import type { NightFigures } from '../../shared/status/status.ts'
import { formatBytes, formatCount, plural } from '../../shared/words/format.ts'
import { useNow } from '../data/use-now.ts'
import { NightShares } from './NightShares.tsx'
import { FEWEST_NIGHTS, knownNights, nightKind, nightParticulars } from './night-words.ts'
import './seven-nights.css'

const sumOf = (nights: readonly NightFigures[], numberOf: (night: NightFigures) => number) =>
  nights.reduce((sum, night) => sum + numberOf(night), 0)

/** "212 recordings, 1.4 TB in seven nights, 2 need attention" */
export const sevenNightsWords = (nights: readonly NightFigures[]): string => {
  const recorded = sumOf(nights, (night) => night.recorded)
  if (recorded === 0) return 'nothing in seven nights'
  const troubled = sumOf(nights, ({ standings }) => countIn(standings, 'needs-attention'))
  const dismissed = sumOf(nights, ({ standings }) => countIn(standings, 'dismissed'))
  return [
    `${plural(recorded, 'recording')}, ${formatBytes(sumOf(nights, ({ bytes }) => bytes))} in seven nights`,
    ...(troubled === 0 ? [] : [plural(troubled, 'needs attention', 'need attention')]),
    ...(dismissed === 0 ? [] : [`${formatCount(dismissed)} dismissed`]),
  ].join(', ')
}

/** Small bars next to their summary, from the third night on. Screen readers get the figures of each night. */
export function SevenNights({ nights }: { readonly nights: readonly NightFigures[] }) {
  const most = Math.max(1, ...nights.map(({ recorded }) => recorded))
  const now = useNow()
  const words = nights.map((night) => `${nightWord(night.name, now)}: ${nightParticulars(night)[0]}`)
  if (knownNights(nights).length < FEWEST_NIGHTS) return null
  return (
    <span
      className="seven"
      role="img"
      aria-label={`Seven nights. ${words.join('. ')}`}
      title={words.join('\n')}
    >
      {nights.map((night) => {
        const kind = nightKind(night)
        if (kind !== 'recorded') return <span key={night.name} className={`seven-bar seven-${kind}`} />
        return (
          <span
            key={night.name}
            className="seven-bar"
            style={{ height: `${Math.max(12, (night.recorded / most) * 100)}%` }}
          >
            <NightShares standings={night.standings} />
          </span>
        )
      })}
    </span>
  )
}
