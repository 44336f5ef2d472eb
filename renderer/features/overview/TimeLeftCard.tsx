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

/**
 * Shows when the uploads will be done, how certain the forecast is, and which recordings will be late. Without a forecast,
 * it shows why there is none.
 */
export function TimeLeftCard({ status, goTo }: Props) {
  const now = useNow()
  const { forecast, needAttention, station } = status
  const knownForecast = forecast.kind === 'known' ? forecast : null
  const range = knownForecast === null ? '' : doneRange(knownForecast, now)
  const atRisk = knownForecast?.atRisk ?? null
  const needsAttention = forecast.kind === 'nothing' && needAttention > 0
  const title = needsAttention ? 'Nothing uploading' : doneTitle(forecast, now)
  const sentences = needsAttention
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
        <strong>{title}</strong>
        {range !== '' && <span className="quiet"> · {range}</span>}
      </p>
      {sentences !== '' && <p className="quiet">{sentences}</p>}
    </Card>
  )
}
