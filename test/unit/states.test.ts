import { describe, expect, test } from 'vitest'
import { type EventKind, liveStates, nextState, type RecordingEvent } from '../../main/agent/domain/states.ts'
import { type RecordingState, recordingStates } from '../../shared/status.ts'

/** Written out by hand, state by state, so that the table in the code is checked against a second opinion. */
const expected: Record<RecordingState, Partial<Record<EventKind, RecordingState>>> = {
  growing: { settled: 'queued', changed: 'growing', blocked: 'blocked', vanished: 'gone' },
  queued: { 'hash-started': 'hashing', changed: 'growing', blocked: 'blocked', vanished: 'gone' },
  hashing: {
    hashed: 'ready',
    'hash-abandoned': 'queued',
    changed: 'growing',
    blocked: 'blocked',
    vanished: 'gone',
  },
  ready: {
    'session-opened': 'uploading',
    'rehash-needed': 'queued',
    'same-content': 'processed',
    changed: 'queued',
    blocked: 'blocked',
    vanished: 'gone',
  },
  uploading: {
    'parts-sent': 'completing',
    'rehash-needed': 'queued',
    'session-abandoned': 'ready',
    completed: 'processing',
    changed: 'queued',
    blocked: 'blocked',
    vanished: 'gone',
  },
  completing: {
    completed: 'processing',
    'parts-missing': 'uploading',
    'rehash-needed': 'queued',
    'session-abandoned': 'ready',
    blocked: 'blocked',
  },
  processing: {
    processed: 'processed',
    'processing-failed': 'failed',
    'deleted-at-service': 'failed',
    blocked: 'blocked',
  },
  processed: { 'deleted-at-service': 'failed' },
  failed: { retried: 'ready' },
  blocked: { changed: 'growing', vanished: 'gone', retried: 'ready' },
  gone: { reappeared: 'growing' },
}

const kinds: readonly EventKind[] = [
  'settled',
  'changed',
  'hash-started',
  'hashed',
  'hash-abandoned',
  'session-opened',
  'rehash-needed',
  'session-abandoned',
  'parts-sent',
  'parts-missing',
  'completed',
  'processed',
  'processing-failed',
  'same-content',
  'deleted-at-service',
  'blocked',
  'retried',
  'vanished',
  'reappeared',
]

const eventOf = (kind: EventKind): RecordingEvent =>
  kind === 'retried' ? { kind, progress: 'hashed' } : { kind }

describe.each(recordingStates)('%s', (state) => {
  test.each(kinds)('%s', (kind) => {
    expect(nextState(state, eventOf(kind))).toBe(expected[state][kind] ?? null)
  })
})

test('a retry resumes as far as the recording had come', () => {
  const retried = (state: RecordingState, progress: 'unhashed' | 'hashed' | 'session') =>
    nextState(state, { kind: 'retried', progress })
  expect(retried('blocked', 'unhashed')).toBe('growing')
  expect(retried('blocked', 'hashed')).toBe('ready')
  expect(retried('blocked', 'session')).toBe('uploading')
  // What failed at the service is never continued in the failed session.
  expect(retried('failed', 'session')).toBe('ready')
  expect(retried('failed', 'unhashed')).toBe('growing')
})

test('every live state can reach processed', () => {
  const reachable = (from: RecordingState): Set<RecordingState> => {
    const seen = new Set<RecordingState>([from])
    for (const state of seen)
      for (const kind of kinds) {
        const next = nextState(state, eventOf(kind))
        if (next !== null) seen.add(next)
      }
    return seen
  }
  for (const state of [...liveStates, 'blocked', 'gone', 'failed'] as const)
    expect(reachable(state)).toContain('processed')
})
