import { formatCount, momentInSentence } from '../../../shared/format.ts'
import type { Status } from '../../../shared/status.ts'
import { Card } from '../../components/Card.tsx'
import { Icon } from '../../components/Icon.tsx'
import { useNow } from '../../data/use-now.ts'
import { nightShares, verdictOf } from './verdict.ts'

/** From here on five numbers side by side need a smaller type. */
const LARGE = 10_000

/** One verdict for the night, how it is made up at a glance, and the numbers behind it. */
export function MorningReportCard({ status }: { readonly status: Status }) {
  const now = useNow()
  const { report } = status
  const verdict = verdictOf(status)
  const figures = [
    { word: 'Recorded', count: report.recorded, tone: '' },
    { word: 'Uploaded', count: report.uploaded, tone: '' },
    { word: 'Processed', count: report.processed, tone: 'tone-good' },
    { word: 'Waiting', count: report.waiting, tone: '' },
    { word: 'Failed', count: report.failed, tone: 'tone-bad' },
  ]
  return (
    <Card
      title="Morning report"
      aside={<span className="quiet small">Since {momentInSentence(report.since, now)}</span>}
    >
      <p className={`verdict tone-${verdict.tone}`}>
        <Icon name={verdict.icon} />
        <span>{verdict.sentence}</span>
      </p>
      <div className="night">
        <div className="night-bar" aria-hidden="true">
          {nightShares(status).map(({ look, count }) => (
            <span key={look} className={`night-share night-${look}`} style={{ flexGrow: count }} />
          ))}
        </div>
        <dl className={report.recorded < LARGE ? 'figures' : 'figures figures-large'}>
          {figures.map(({ word, count, tone }) => (
            <div key={word} className={count === 0 ? 'figure figure-zero' : 'figure'}>
              <dt>{word}</dt>
              <dd className={count === 0 ? '' : tone}>{formatCount(count)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}
