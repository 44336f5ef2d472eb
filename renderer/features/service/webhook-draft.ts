import {
  type DeliveryRefusal,
  type eventTypes,
  type ReceiverState,
  WEBHOOK_PATH,
} from '../../../shared/contract/webhooks.ts'
import { listeningUrl } from '../../../shared/settings/listening-url.ts'
import { type DraftSettings, draftSettingsSchema } from '../../../shared/settings/settings.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import { formatAgo, formatCount, momentInSentence, plural } from '../../../shared/words/format.ts'
import { type ListeningDraft, readListening, toListeningDraft } from '../../components/ListeningFields.tsx'
import type { StatusLine } from '../../components/StatusLines.tsx'

export const webhooksSchema = draftSettingsSchema.shape.webhooks

const DEFAULT_PORT = '8787'

export const receiverDraft = (webhooks: DraftSettings['webhooks'] | undefined): ListeningDraft =>
  toListeningDraft(webhooks?.receive, DEFAULT_PORT)

export const readReceiver = (draft: ListeningDraft) => (draft.isOn ? { receive: readListening(draft) } : {})

type EventType = (typeof eventTypes)[number]

export const eventWords: Readonly<Record<EventType, string>> = {
  'session.processed': 'Recording processed',
  'session.failed': 'Processing failed',
  'export.completed': 'Export completed',
  'export.failed': 'Export failed',
}

const refusalWords: Readonly<Record<DeliveryRefusal, string>> = {
  'header-missing': 'it was not signed',
  'header-malformed': 'its signature was malformed',
  'signature-wrong': 'it was signed with a different secret',
  'too-old': 'it was more than five minutes old',
  'too-new': 'it was more than five minutes in the future',
  'body-unreadable': 'it was not an event',
  'too-large': 'it was too large for an event',
}

/** The listening address and the events so far. */
export const receiverLines = (
  state: ReceiverState,
  problem: Problem | null,
  isOn: boolean,
  now: number,
): readonly StatusLine[] => {
  if (problem !== null) return [{ tone: 'warn', sentence: `${problem.sentence} ${problem.next}` }]
  if (state.listening === null)
    return isOn ? [{ tone: 'quiet', sentence: 'The agent is not listening yet.' }] : []
  const lastEvent =
    state.lastEventAt === null
      ? 'No events yet.'
      : `Last event ${formatAgo(state.lastEventAt, now)}, ${formatCount(state.eventsLastDay)} in the last 24 hours.`
  const listeningLine: StatusLine = {
    tone: 'quiet',
    sentence: `Listening at ${listeningUrl(state.listening, WEBHOOK_PATH)}. ${lastEvent}`,
  }
  if (state.refused === null) return [listeningLine]
  const { count, lastAt, reason } = state.refused
  const sentence = `${plural(count, 'delivery', 'deliveries')} refused since the agent started, the last ${momentInSentence(lastAt, now)}: ${refusalWords[reason]}.`
  return [listeningLine, { tone: 'quiet', sentence }]
}
