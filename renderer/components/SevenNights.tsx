import type { NightFigures } from '../../shared/status/night-figures.ts'
import { nightWord } from '../../shared/status/nights.ts'
import { useNow } from '../data/use-now.ts'
import { NightShares } from './NightShares.tsx'
import { FEWEST_NIGHTS, knownNights, nightKind, nightParticulars } from './night-words.ts'
import './seven-nights.css'

/**
 * Small bars next to the summary, shown once at least three nights are known. Screen readers get the figures of each
 * night.
 */
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
