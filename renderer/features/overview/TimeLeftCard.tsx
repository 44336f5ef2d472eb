import type { Status } from '../../../shared/status/status.ts'
import {
  atRiskWords,
  doneRange,
  doneSentences,
  doneTitle,
  stopWords,
} from '../../../shared/words/forecast-words.ts'
import { plural } from '../../../shared/words/format.ts'
import { uncheckedWords } from '../../../shared/words/words.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'
import './tonight.css'

type Props = {
  readonly status: Pick<Status, 'forecast' | 'folders' | 'needAttention' | 'station'>
  readonly goTo: (place: Place) => void
}

/**
 * Shows when the uploads will be done, how certain the forecast is, and how many recordings will miss the end of the
 * upload hours. Without a forecast, shows why there is none.
 */
export function TimeLeftCard({ status, goTo }: Props) {
  const now = useNow()
  const { forecast, folders, needAttention, station } = status
  const knownForecast = forecast.kind === 'known' ? forecast : null
  const range = knownForecast === null ? '' : doneRange(knownForecast, now)
  const atRisk = knownForecast?.atRisk ?? null
  // If a recording needs attention or a folder is not checked, "Nothing to upload" would sound as if all were done.
  const unresolvedWords = [
    ...(needAttention === 0 ? [] : [`${plural(needAttention, 'needs', 'need')} attention`]),
    ...[uncheckedWords(folders)].filter((words) => words !== ''),
  ]
  const hasUnresolved = forecast.kind === 'nothing' && unresolvedWords.length > 0
  const title = hasUnresolved ? 'Nothing uploading' : doneTitle(forecast, now)
  const sentences = hasUnresolved
    ? unresolvedWords.map((words) => `${words}.`).join(' ')
    : doneSentences(forecast, now, stopWords(station))
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
