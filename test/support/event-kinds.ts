import type { EventKind } from '../../main/agent/domain/states.ts'

/** A record, so that the tests do not compile if a new event kind is missing here. */
const everyKind: Readonly<Record<EventKind, true>> = {
  settled: true,
  changed: true,
  'hash-started': true,
  hashed: true,
  'hash-abandoned': true,
  'session-opened': true,
  'rehash-needed': true,
  'session-abandoned': true,
  'parts-sent': true,
  'parts-missing': true,
  reopened: true,
  completed: true,
  processed: true,
  'processing-failed': true,
  'same-content': true,
  'deleted-at-service': true,
  retried: true,
  vanished: true,
  reappeared: true,
}

export const eventKinds = Object.keys(everyKind) as readonly EventKind[]
