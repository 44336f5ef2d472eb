import { lazy, Suspense, useState } from 'react'
import type { Throughput } from '../../../shared/status/status.ts'
import { formatBytes } from '../../../shared/words/format.ts'
import { Card } from '../../components/Card.tsx'
import { type Choice, Segments } from '../../components/Choices.tsx'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'
import { useNow } from '../../data/use-now.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'

/** Loads the plot later: it is at the bottom of the screen, but makes up a tenth of the page's code. */
const ThroughputPlot = lazy(async () => ({ default: (await import('./ThroughputPlot.tsx')).ThroughputPlot }))

type Span = '10m' | '24h'
const spans: readonly Choice<Span>[] = [
  { id: '10m', word: '10 minutes' },
  { id: '24h', word: '24 hours' },
]

const describeThroughput = (throughput: Throughput, span: Span): string => {
  const total = throughput.bytes.reduce((sum, bytes) => sum + bytes, 0)
  const words = span === '10m' ? 'last 10 minutes' : 'last 24 hours'
  // Leaves out the peak speed. Each value is an average over an interval, so even the highest may be below the current
  // speed in `NowCard`.
  return `${total === 0 ? 'Nothing' : formatBytes(total)} uploaded in the ${words}.`
}

export function ThroughputCard() {
  const [span, setSpan] = useState<Span>('10m')
  const tick = useRefreshTick(span === '10m' ? 2_000 : 30_000)
  // A paused station sends no new status, but "the last 10 minutes" still move. So a new `now` reloads the data too.
  const now = useNow()
  const { data, error } = useLoad(`${span} ${tick} ${now}`, async () => ({
    span,
    throughput: await ask('getThroughput', { span }),
  }))
  // While a new span loads, `data` is still that of the previous span. Do not show it under the new name.
  const throughput = data?.span === span ? data.throughput : null
  // An empty plot would only take space.
  const isPlotted = throughput?.bytes.some((bytes) => bytes > 0) === true
  const words = throughput === null ? (error ?? 'Loading…') : describeThroughput(throughput, span)
  return (
    <Card
      title="Throughput"
      aside={<Segments label="Time span" choices={spans} value={span} onChange={setSpan} />}
    >
      <p>{words}</p>
      {isPlotted && (
        <div className="plot-place">
          <Suspense>
            <ThroughputPlot throughput={throughput} summary={words} />
          </Suspense>
        </div>
      )}
    </Card>
  )
}
