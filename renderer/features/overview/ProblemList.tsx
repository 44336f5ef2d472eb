import { formatCount, plural } from '../../../shared/format.ts'
import type { ProblemGroup, Status } from '../../../shared/status.ts'
import { Button } from '../../components/Button.tsx'
import { ProblemCard } from '../../components/ProblemCard.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import type { Place } from '../../navigation.ts'

/** Grouped by the agent: ten thousand recordings with one cause are one card here. */
const SHOWN = 4

const stationGroup = (status: Status): readonly ProblemGroup[] => {
  const { problem } = status.station
  const known = problem === null || status.problems.some((group) => group.problem.code === problem.code)
  return known || problem === null ? [] : [{ problem, count: 0, examples: [] }]
}

function Extent({ group }: { readonly group: ProblemGroup }) {
  if (group.count === 0) return null
  const names = group.examples.slice(0, 2).map((example) => example.name)
  const rest = group.count - names.length
  return (
    <p className="quiet">
      {plural(group.count, 'recording')}
      {names.length > 0 && `: ${names.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`}
    </p>
  )
}

type Props = { readonly status: Status; readonly goTo: (place: Place) => void }

export function ProblemList({ status, goTo }: Props) {
  const { attempt } = useNotices()
  const groups = [...stationGroup(status), ...status.problems]
  if (groups.length === 0) return null
  const hidden = groups.length - SHOWN

  const actions = ({ problem, count, examples }: ProblemGroup) => {
    const only = count === 1 ? examples[0] : undefined
    return (
      <>
        {problem.code.startsWith('key-') && (
          <Button size="small" onPress={() => goTo({ screen: 'service' })}>
            Change the key
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
            onPress={() =>
              void attempt(
                () => ask('retryProblem', { code: problem.code }),
                `Trying ${plural(count, 'recording')} again.`,
              )
            }
          >
            {count === 1 ? 'Try again' : 'Try all again'}
          </Button>
        )}
      </>
    )
  }

  return (
    <div className="stack">
      {groups.slice(0, SHOWN).map((group) => (
        <ProblemCard
          key={group.problem.code}
          problem={group.problem}
          extent={<Extent group={group} />}
          actions={actions(group)}
        />
      ))}
      {hidden > 0 && (
        <Button look="quiet" onPress={() => goTo({ screen: 'recordings', attention: true })}>
          {`And ${plural(hidden, 'more kind')} of problem`}
        </Button>
      )}
    </div>
  )
}
