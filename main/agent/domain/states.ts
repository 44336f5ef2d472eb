import type { RecordingState } from '../../../shared/status/status.ts'

/**
 * All events that change the state of a recording. Nothing else changes a state. If `table` does not list an event for
 * a state, the event is a bug or a conflict between two stages, and changes nothing.
 */
export type RecordingEvent =
  /** The file is unchanged and no program seems to write it. It is complete, or Sluice no longer waits for the rest. */
  | { readonly kind: 'settled' }
  /** The file has changed since Sluice scanned, hashed or partly sent it. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'hash-started' }
  | { readonly kind: 'hashed' }
  /**
   * Something interrupted the hashing: a kill, a cancellation, a failed read or a rewrite. The hasher will try again.
   */
  | { readonly kind: 'hash-abandoned' }
  | { readonly kind: 'session-opened' }
  /** The file must be hashed again: the part size changed, or the service computed a different checksum. */
  | { readonly kind: 'rehash-needed' }
  /** The session is useless. Sluice uploads the content into a new one. */
  | { readonly kind: 'session-abandoned' }
  | { readonly kind: 'parts-sent' }
  /** The service lost a part that Sluice had sent. */
  | { readonly kind: 'parts-missing' }
  /** The service reopened a complete session without losing a part. */
  | { readonly kind: 'reopened' }
  | { readonly kind: 'completed' }
  | { readonly kind: 'processed' }
  | { readonly kind: 'processing-failed' }
  /** The service has already processed the same bytes. */
  | { readonly kind: 'same-content' }
  | { readonly kind: 'deleted-at-service' }
  /** A user retried a failed recording: Sluice uploads it into a new session. */
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
    // The session may already be complete if Sluice found it after losing the journal.
    completed: 'processing',
    changed: 'queued',
    vanished: 'gone',
  },
  // The service has every byte, so changes of the local file do not matter.
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
    // After a failover, the service may reopen a complete session.
    'parts-missing': 'uploading',
    reopened: 'completing',
    // The session has different content, and a user retried the recording.
    'session-abandoned': 'ready',
  },
  processed: { 'deleted-at-service': 'failed' },
  failed: { retried: 'growing' },
  // `same-content`: the file is gone, but the service has processed another recording with the same content.
  gone: { reappeared: 'growing', 'same-content': 'processed' },
}

export const nextState = (state: RecordingState, event: RecordingEvent): RecordingState | null =>
  table[state][event.kind] ?? null

/** States in which Sluice still has work to do. */
export const liveStates = [
  'growing',
  'queued',
  'hashing',
  'ready',
  'uploading',
  'completing',
  'processing',
] as const satisfies readonly RecordingState[]

/** States in which Sluice needs the local file, because the service still lacks bytes. */
export const fileNeededStates = [
  'growing',
  'queued',
  'hashing',
  'ready',
  'uploading',
] as const satisfies readonly RecordingState[]

/** In these states, the journal's digest matches the file. */
export const hashedStates = ['ready', 'uploading'] as const satisfies readonly RecordingState[]

export const isHashed = (state: RecordingState): boolean =>
  (hashedStates as readonly string[]).includes(state)
export const isLive = (state: RecordingState): boolean => (liveStates as readonly string[]).includes(state)
export const needsFile = (state: RecordingState): boolean =>
  (fileNeededStates as readonly string[]).includes(state)
