import { ToggleButton } from 'react-aria-components'
import { totalOf } from '../../../shared/status/night-parts.ts'
import { type RecordingOutline, type Standing, standings } from '../../../shared/status/status.ts'
import { formatCount } from '../../../shared/words/format.ts'
import { standingWords } from '../../../shared/words/words.ts'
import { type Filters, standingsOf } from './filters.ts'

/** Rare states get a chip only if a recording is in that state. */
const rare: readonly Standing[] = ['dismissed', 'elsewhere']
/** Recordings that need attention come first. */
const order: readonly Standing[] = [
  'needs-attention',
  ...standings.filter((one) => one !== 'needs-attention'),
]

type Props = {
  readonly counts: RecordingOutline['standings'] | null
  readonly chosen: Filters['standing']
  readonly onChange: (standing: Filters['standing']) => void
}

/** One chip per state with its count; a press filters by it. */
export function StandingChips({ counts, chosen, onChange }: Props) {
  const pressed = standingsOf(chosen)
  const shown = order.filter(
    (one) => !rare.includes(one) || pressed.includes(one) || (counts?.[one] ?? 0) > 0,
  )
  const number = (count: number | undefined) => (
    <span className="chip-count number">{count === undefined ? '' : formatCount(count)}</span>
  )
  return (
    <fieldset className="chips">
      <legend className="visually-hidden">Status</legend>
      <ToggleButton className="chip" isSelected={chosen === 'all'} onChange={() => onChange('all')}>
        All {number(counts === null ? undefined : totalOf(counts))}
      </ToggleButton>
      {shown.map((one) => (
        <ToggleButton
          key={one}
          className={`chip chip-${standingWords[one].tone} ${counts?.[one] === 0 ? 'chip-none' : ''}`}
          isSelected={pressed.includes(one)}
          onChange={() => onChange(chosen === one ? 'all' : one)}
        >
          {standingWords[one].word} {number(counts?.[one])}
        </ToggleButton>
      ))}
    </fieldset>
  )
}
