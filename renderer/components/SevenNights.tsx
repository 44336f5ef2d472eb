import type { NightFigures } from '../../shared/status/night-figures.ts'
import { nightWord } from '../../shared/status/nights.ts'
import { useNow } from '../data/use-now.ts'
import { NightShares } from './NightShares.tsx'
import { knownNights, MIN_NIGHTS, nightDetails, nightKind } from './night-words.ts'
import './seven-nights.css'

/**
 * Seven small bars next to the summary. Hidden if fewer than three of the nights are known. Screen readers read the
 * figures of each night.
 */
export function SevenNights({ nights }: { readonly nights: readonly NightFigures[] }) {
  const maxRecorded = Math.max(1, ...nights.map(({ recorded }) => recorded))
  const now = useNow()
  const words = nights.map((night) => `${nightWord(night.name, now)}: ${nightDetails(night)[0]}`)
  if (knownNights(nights).length < MIN_NIGHTS) return null
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
            style={{ height: `${Math.max(12, (night.recorded / maxRecorded) * 100)}%` }}
          >
            <NightShares standings={night.standings} />
          </span>
        )
      })}
    </span>
  )
}
