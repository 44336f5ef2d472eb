import { type DeliveryState, METRICS_PATH, type MonitoringState } from '../../../shared/ipc/monitoring.ts'
import { listeningUrl } from '../../../shared/settings/listening-url.ts'
import { type DraftSettings, draftSettingsSchema } from '../../../shared/settings/settings.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import { formatAgo, formatDuration, plural } from '../../../shared/words/format.ts'
import type { Choice } from '../../components/Choices.tsx'
import { type ListeningDraft, readListening, toListeningDraft } from '../../components/ListeningFields.tsx'
import type { StatusLine } from '../../components/StatusLines.tsx'

export const monitoringSchema = draftSettingsSchema.shape.monitoring

/** The default port of OpenTelemetry's Prometheus exporter. */
const DEFAULT_PORT = '9464'

export const metricsDraft = (monitoring: DraftSettings['monitoring'] | undefined): ListeningDraft =>
  toListeningDraft(monitoring?.metrics, DEFAULT_PORT)

export const readMetrics = (draft: ListeningDraft) => (draft.isOn ? { metrics: readListening(draft) } : {})

const commonIntervals = [60, 300, 900, 3_600] as const

/** The common intervals, and the configured interval. */
export const intervalChoices = (seconds: number): readonly Choice<string>[] =>
  [...new Set([...commonIntervals, seconds])]
    .sort((a, b) => a - b)
    .map((choice) => ({ id: String(choice), word: `Every ${formatDuration(choice)}` }))

/**
 * Shows the problem of the metrics endpoint. Without a problem, shows its address, its last request and the number of
 * refused requests.
 */
export const metricsLines = (
  { metrics }: MonitoringState,
  problem: Problem | null,
  isOn: boolean,
  now: number,
): readonly StatusLine[] => {
  if (problem !== null) return [{ tone: 'warn', sentence: `${problem.sentence} ${problem.next}` }]
  if (metrics.listening === null)
    return isOn ? [{ tone: 'quiet', sentence: 'The agent is not listening yet.' }] : []
  const lastRequest =
    metrics.lastRequestAt === null
      ? 'No requests yet.'
      : `Last request ${formatAgo(metrics.lastRequestAt, now)}.`
  const listeningLine: StatusLine = {
    tone: 'quiet',
    sentence: `Listening at ${listeningUrl(metrics.listening, METRICS_PATH)}. ${lastRequest}`,
  }
  if (metrics.refused === 0) return [listeningLine]
  const refusedSentence = `Refused since the agent started: ${plural(metrics.refused, 'request')} without a valid token or from a web page.`
  return [listeningLine, { tone: 'quiet', sentence: refusedSentence }]
}

/** The last successful delivery, and the last failure after it. */
export const deliveryLines = (
  { host, lastOkAt, failure }: DeliveryState,
  { subject, neverSentence }: { readonly subject: string; readonly neverSentence: string },
  now: number,
): readonly StatusLine[] => {
  if (host === null) return []
  const arrivalSentence =
    lastOkAt === null ? null : `${subject} arrived at ${host} ${formatAgo(lastOkAt, now)}.`
  if (failure === null) return [{ tone: 'quiet', sentence: arrivalSentence ?? neverSentence }]
  const sentence = [`${failure.sentence} (${formatAgo(failure.at, now)})`, arrivalSentence ?? '']
    .join(' ')
    .trim()
  // A failure is `quiet` too, because Sluice retries by itself.
  return [{ tone: 'quiet', sentence }]
}
