import { formatCount, formatMoment } from '../../../shared/format.ts'
import type { MorningReport } from '../../../shared/status.ts'
import { Card } from '../../components/Card.tsx'
import { Icon } from '../../components/Icon.tsx'
import { useNow } from '../../data/use-now.ts'
import { verdictOf } from './verdict.ts'

export function MorningReportCard({ report }: { readonly report: MorningReport }) {
  const now = useNow()
  const verdict = verdictOf(report)
  const figures = [
    { word: 'Recorded', count: report.recorded },
    { word: 'Uploaded', count: report.uploaded },
    { word: 'Processed', count: report.processed },
    { word: 'Failed', count: report.failed },
    { word: 'Waiting', count: report.waiting },
  ]
  return (
    <Card
      title="Morning report"
      aside={<span className="quiet small">Since {formatMoment(report.since, now).toLowerCase()}</span>}
    >
      <p className={`verdict tone-${verdict.tone}`}>
        <Icon name={verdict.icon} />
        <span>{verdict.sentence}</span>
      </p>
      <dl className="figures">
        {figures.map(({ word, count }) => (
          <div key={word} className="figure">
            <dt>{word}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
