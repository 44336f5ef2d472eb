import type { RecordingState } from '../../../shared/status/status.ts'

/**
 * The life of a recording as one pure table. Nothing else decides a state. An event that a state does not
 * list is refused: it is a bug, or two stages disagreeing, and must show.
 */
export type RecordingEvent =
  /** Size and times stood still, no writer, the format's end is there. */
  | { readonly kind: 'settled' }
  /** The file is no longer the one that was seen, hashed or half sent. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'hash-started' }
  | { readonly kind: 'hashed' }
  /** Killed or cancelled while hashing: a hash cannot be continued, so it starts again. */
  | { readonly kind: 'hash-abandoned' }
  | { readonly kind: 'session-opened' }
  /** The parts have to be cut or checked again: other part size, or the service computed another checksum. */
  | { readonly kind: 'rehash-needed' }
  /** The session is no longer usable; the content goes into a new one. */
  | { readonly kind: 'session-abandoned' }
  | { readonly kind: 'parts-sent' }
  /** The service no longer has a part that had been sent. */
  | { readonly kind: 'parts-missing' }
  /** The service has a complete session open again and misses no part. */
  | { readonly kind: 'reopened' }
  | { readonly kind: 'completed' }
  | { readonly kind: 'processed' }
  | { readonly kind: 'processing-failed' }
  /** The same bytes are already processed at the service. */
  | { readonly kind: 'same-content' }
  | { readonly kind: 'deleted-at-service' }
  /** A person wants what failed at the service sent again, as a new session. */
  | { readonly kind: 'retried' }
  | { readonly kind: 'vanished' }
  | { readonly kind: 'reappeared' }

export type EventKind = RecordingEvent['kind']

type Row = Partial<Record<EventKind, RecordingState>>

const table: Readonly<Record<RecordingState, Row>> = {
  growing: { settled: 'queued', changed: 'growing', vanished: 'gone' },
  queued: { 'hash-started': 'hashing', changed: 'growing', vanished: 'gone' },
  hashing: { hashed: 'ready', 'hash-abandoned': 'queued', changed: 'growing', vanished: 'gone' },
  ready: {
    'session-opened': 'uploading',
    'rehash-needed': 'queued',
    'same-content': 'processed',
    changed: 'queued',
    vanished: 'gone',
  },
  uploading: {
    'parts-sent': 'completing',
    'rehash-needed': 'queued',
    'session-abandoned': 'ready',
    'same-content': 'processed',
    // The answer to a completion was lost: the service is already further than the journal.
    completed: 'processing',
    changed: 'queued',
    vanished: 'gone',
  },
  // Every byte is at the service: what happens to the local file no longer matters.
  completing: {
    completed: 'processing',
    'parts-missing': 'uploading',
    'rehash-needed': 'queued',
    'session-abandoned': 'ready',
  },
  processing: {
    processed: 'processed',
    'processing-failed': 'failed',
    'deleted-at-service': 'failed',
    // After a failover the service may have a complete session open again.
    'parts-missing': 'uploading',
    reopened: 'completing',
    // The session shows different content, and a person wants the recording sent as a new one.
    'session-abandoned': 'ready',
  },
  processed: { 'deleted-at-service': 'failed' },
  failed: { retried: 'growing' },
  // The file is gone, and yet its bytes are safe: those of a copy.
  gone: { reappeared: 'growing', 'same-content': 'processed' },
}

/** The next state, or null where the event does not belong in the state. */
export const nextState = (state: RecordingState, event: RecordingEvent): RecordingState | null =>
  table[state][event.kind] ?? null

/** Sluice still has work to do on these by itself. */
export const liveStates = [
  'growing',
  'queued',
  'hashing',
  'ready',
  'uploading',
  'completing',
  'processing',
] as const satisfies readonly RecordingState[]

/** The local file is still needed: its bytes are not all at the service. */
export const fileNeededStates = [
  'growing',
  'queued',
  'hashing',
  'ready',
  'uploading',
] as const satisfies readonly RecordingState[]

/** The digest in the journal is that of the file as it is. */
export const hashedStates = ['ready', 'uploading'] as const satisfies readonly RecordingState[]

export const isHashed = (state: RecordingState): boolean =>
  (hashedStates as readonly string[]).includes(state)
export const isLive = (state: RecordingState): boolean => (liveStates as readonly string[]).includes(state)
export const needsFile = (state: RecordingState): boolean =>
  (fileNeededStates as readonly string[]).includes(state)
