import type { NightFigures } from '../../shared/status/night-figures.ts'
import { countIn, nightParts } from '../../shared/status/night-parts.ts'

/** One night's recordings as a stacked bar in the colours of the night bar. Safe recordings are at the bottom. */
export function NightShares({ standings }: Pick<NightFigures, 'standings'>) {
  return [...nightParts].reverse().map((part) => {
    const count = countIn(standings, part)
    return count === 0 ? null : (
      <span key={part} className={`night-share night-${part}`} style={{ flexGrow: count }} />
    )
  })
}
