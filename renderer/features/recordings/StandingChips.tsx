import { ToggleButton } from 'react-aria-components'
import { totalOf } from '../../../shared/status/night-parts.ts'
import { type Standing, standings } from '../../../shared/status/standing.ts'
import type { RecordingOutline } from '../../../shared/status/status.ts'
import { formatCount } from '../../../shared/words/format.ts'
import { standingWords } from '../../../shared/words/words.ts'
import { type Filters, standingsOf } from './filters.ts'

/** These standings get a chip only if a recording has it or the filter uses it. */
const rareStandings: readonly Standing[] = ['dismissed', 'elsewhere']
/** Recordings that need attention come first. */
const standingOrder: readonly Standing[] = [
  'needs-attention',
  ...standings.filter((standing) => standing !== 'needs-attention'),
]

type Props = {
  readonly counts: RecordingOutline['standings'] | null
  readonly chosenStanding: Filters['standing']
  readonly onChange: (standing: Filters['standing']) => void
}

/** One chip per standing, with its count. A press filters by the standing. */
export function StandingChips({ counts, chosenStanding, onChange }: Props) {
  const pressedStandings = standingsOf(chosenStanding)
  const shownStandings = standingOrder.filter(
    (standing) =>
      !rareStandings.includes(standing) ||
      pressedStandings.includes(standing) ||
      (counts?.[standing] ?? 0) > 0,
  )
  const renderCount = (count: number | undefined) => (
    <span className="chip-count number">{count === undefined ? '' : formatCount(count)}</span>
  )
  return (
    <fieldset className="chips">
      <legend className="visually-hidden">Status</legend>
      <ToggleButton className="chip" isSelected={chosenStanding === 'all'} onChange={() => onChange('all')}>
        All {renderCount(counts === null ? undefined : totalOf(counts))}
      </ToggleButton>
      {shownStandings.map((standing) => (
        <ToggleButton
          key={standing}
          className={`chip chip-${standingWords[standing].tone} ${counts?.[standing] === 0 ? 'chip-none' : ''}`}
          isSelected={pressedStandings.includes(standing)}
          onChange={() => onChange(chosenStanding === standing ? 'all' : standing)}
        >
          {standingWords[standing].word} {renderCount(counts?.[standing])}
        </ToggleButton>
      ))}
    </fieldset>
  )
}
