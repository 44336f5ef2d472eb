import { Button as AriaButton } from 'react-aria-components'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { formatAgo } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { RecordingMark } from '../../components/StateMark.tsx'
import { TruncatedName } from '../../components/TruncatedName.tsx'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'

type Props = { readonly rows: readonly RecordingRow[]; readonly goTo: (place: Place) => void }

export function RecentList({ rows, goTo }: Props) {
  const now = useNow()
  return (
    <Card
      title="Latest recordings"
      aside={
        <Button look="quiet" size="small" onPress={() => goTo({ screen: 'recordings' })}>
          Show all
        </Button>
      }
    >
      {rows.length === 0 ? (
        <p className="quiet">None yet. New recordings show up here within seconds.</p>
      ) : (
        <ul className="recent">
          {rows.slice(0, 5).map((row) => (
            <li key={row.id}>
              <AriaButton
                className="recent-row"
                onPress={() => goTo({ screen: 'recordings', recordingId: row.id })}
              >
                <TruncatedName name={row.name} />
                <RecordingMark row={row} />
                <span className="quiet small recent-when">{formatAgo(row.changedAt, now)}</span>
              </AriaButton>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
