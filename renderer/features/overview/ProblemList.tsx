import { Fragment, useState } from 'react'
import { formatCount, plural } from '../../../shared/format.ts'
import type { ProblemCode, ProblemGroup, Status } from '../../../shared/status.ts'
import { Button } from '../../components/Button.tsx'
import { ProblemCard } from '../../components/ProblemCard.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import type { Place } from '../../navigation.ts'

/** Grouped by the agent: ten thousand recordings with one cause are one card here. */
const SHOWN = 4

function Extent({ group: { count, folder, examples } }: { readonly group: ProblemGroup }) {
  if (folder !== undefined) return <span className="selectable">{folder}</span>
  if (count === 0) return null
  const names = examples.slice(0, 2).map((example) => example.name)
  const rest = count - names.length
  return (
    <span>
      {plural(count, 'recording')}
      {/* Apart from each other: a name may be written from right to left. */}
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

type Props = { readonly status: Status; readonly goTo: (place: Place) => void }

export function ProblemList({ status, goTo }: Props) {
  const { attempt } = useNotices()
  const [all, setAll] = useState(false)
  /** Ten thousand take the agent a while; pressed again, they would take it twice as long. */
  const [retrying, setRetrying] = useState<ProblemCode | null>(null)
  const groups = status.problems
  if (groups.length === 0) return null
  const more = groups.length - SHOWN

  const retry = async (code: ProblemCode, count: number) => {
    setRetrying(code)
    await attempt(() => ask('retryProblem', { code }), `Trying ${plural(count, 'recording')} again.`)
    setRetrying(null)
  }

  const actions = ({ problem, count, folder, examples }: ProblemGroup) => {
    const only = count === 1 ? examples[0] : undefined
    return (
      <>
        {problem.code.startsWith('key-') && (
          <Button size="small" look="primary" onPress={() => goTo({ screen: 'service' })}>
            Change the key
          </Button>
        )}
        {folder !== undefined && (
          <Button size="small" onPress={() => goTo({ screen: 'folders' })}>
            Show the folder
          </Button>
        )}
        {problem.code === 'key-other-organisation' && (
          <Button
            size="small"
            onPress={() =>
              void attempt(() => ask('acceptOrganisation'), 'Going on in the organisation of this key.')
            }
          >
            Accept this organisation
          </Button>
        )}
        {count > 0 && (
          <Button
            size="small"
            onPress={() =>
              goTo(
                only === undefined
                  ? { screen: 'recordings', problem: problem.code }
                  : { screen: 'recordings', problem: problem.code, recordingId: only.id },
              )
            }
          >
            {count === 1 ? 'Show it' : 'Show them'}
          </Button>
        )}
        {count > 0 && (
          <Button
            size="small"
            busy={retrying === problem.code}
            onPress={() => void retry(problem.code, count)}
          >
            {count === 1 ? 'Try again' : 'Try all again'}
          </Button>
        )}
      </>
    )
  }

  return (
    <div className="stack">
      {groups.slice(0, all ? groups.length : SHOWN).map((group) => (
        <ProblemCard
          key={`${group.problem.code} ${group.folder ?? ''}`}
          problem={group.problem}
          extent={<Extent group={group} />}
          actions={actions(group)}
        />
      ))}
      {more > 0 && (
        <Button look="quiet" onPress={() => setAll(!all)}>
          {all ? 'Show fewer problems' : `Show ${plural(more, 'more problem')}`}
        </Button>
      )}
    </div>
  )
}
