import type { Status } from '../../../shared/status/status.ts'
import {
  atRiskWords,
  doneRange,
  doneSentences,
  doneTitle,
  stopWords,
} from '../../../shared/words/forecast-words.ts'
import { plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'
import './tonight.css'

type Props = {
  readonly status: Pick<Status, 'forecast' | 'needAttention' | 'station'>
  readonly goTo: (place: Place) => void
}

/** Shows when the uploads will be done, how certain the forecast is, and which recordings will be late. Or why nobody knows. */
export function TimeLeftCard({ status, goTo }: Props) {
  const now = useNow()
  const { forecast, needAttention, station } = status
  const known = forecast.kind === 'known' ? forecast : null
  const range = known === null ? '' : doneRange(known, now)
  const atRisk = known?.atRisk ?? null
  const needsAttention = forecast.kind === 'nothing' && needAttention > 0
  const lead = needsAttention ? 'Nothing uploading' : doneTitle(forecast, now)
  const below = needsAttention
    ? `${plural(needAttention, 'needs', 'need')} attention.`
    : doneSentences(forecast, now, stopWords(station.problem))
  return (
    <Card
      title="Time left"
      aside={
        atRisk !== null && (
          <Button
            look="quiet"
            size="small"
            onPress={() => goTo({ screen: 'recordings', queuedFrom: atRisk.fromId })}
          >
            {`Show the ${atRiskWords(atRisk.recordings)}`}
          </Button>
        )
      }
    >
      <p className="done-when">
        <strong>{lead}</strong>
        {range !== '' && <span className="quiet"> · {range}</span>}
      </p>
      {below !== '' && <p className="quiet">{below}</p>}
    </Card>
  )
}
