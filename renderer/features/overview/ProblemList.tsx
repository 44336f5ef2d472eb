import { Fragment, useState } from 'react'
import { needsSomebody, type ProblemGroup, type Status } from '../../../shared/status/status.ts'
import { formatCount, plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { ProblemCard } from '../../components/ProblemCard.tsx'
import type { Place } from '../../navigation.ts'
import { ProblemActions } from './ProblemActions.tsx'
import { isOfStation, orderedGroups } from './problem-groups.ts'

/** The agent groups recordings by cause, so ten thousand recordings can be one card. */
const SHOWN = 4

function Extent({ group: { count, folder, examples } }: { readonly group: ProblemGroup }) {
  if (folder !== undefined) return <span className="selectable">{folder}</span>
  if (count === 0) return null
  const names = examples.slice(0, 2).map((example) => example.name)
  const rest = count - names.length
  return (
    <span>
      {plural(count, 'recording')}
      {/* Isolated from each other: a name may be written right to left. */}
      {names.map((name, index) => (
        <Fragment key={name}>
          {index === 0 ? ': ' : ', '}
          <bdi>{name}</bdi>
        </Fragment>
      ))}
      {names.length > 0 && rest > 0 && ` and ${formatCount(rest)} more`}
    </span>
  )
}

const hasActions = ({ problem, count, folder }: ProblemGroup) =>
  count > 0 || folder !== undefined || problem.code.startsWith('key-')

type Props = { readonly status: Status; readonly goTo: (place: Place) => void }

export function ProblemList({ status, goTo }: Props) {
  const [all, setAll] = useState(false)
  const groups = orderedGroups(status)
  if (groups.length === 0) return null
  // Station problems are always shown. Problems that clear by themselves are hidden at first.
  const isFixed = (group: ProblemGroup) => isOfStation(group, status.station)
  const notable = groups.filter((group) => isFixed(group) || needsSomebody(group.problem))
  const others = notable.filter((group) => !isFixed(group))
  const slots = Math.max(0, SHOWN - (notable.length - others.length))
  const shown = notable.filter((group) => isFixed(group) || others.indexOf(group) < slots)
  const more = groups.length - shown.length
  const moreWords =
    shown.length === notable.length
      ? `Show ${formatCount(more)} that will clear by ${more === 1 ? 'itself' : 'themselves'}`
      : `Show ${plural(more, 'more problem')}`

  return (
    <div className="stack">
      {(all ? groups : shown).map((group) => (
        <ProblemCard
          key={`${group.problem.code} ${group.folder ?? ''}`}
          problem={group.problem}
          extent={<Extent group={group} />}
          having={{ count: group.count, ids: group.examples.map((example) => example.id) }}
          folder={group.folder}
          actions={hasActions(group) ? <ProblemActions group={group} goTo={goTo} /> : undefined}
        />
      ))}
      {more > 0 && (
        <Button look="quiet" onPress={() => setAll(!all)}>
          {all ? 'Show fewer problems' : moreWords}
        </Button>
      )}
    </div>
  )
}
