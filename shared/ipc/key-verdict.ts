/**
 * The result of testing a key at the service. `live`: true for a live key, false for a test key, null if the prefix of
 * the key shows neither.
 */
export type KeyVerdict =
  | { readonly kind: 'write' | 'read' | 'wrong' | 'unreadable-answer'; readonly live: boolean | null }
  | { readonly kind: 'unreachable'; readonly live: boolean | null; readonly detail: string }
