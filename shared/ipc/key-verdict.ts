/**
 * The result of testing a key at the service. `live`: false for a test key, null if the prefix of the key shows neither
 * kind.
 */
export type KeyVerdict =
  | { readonly kind: 'write' | 'read' | 'wrong' | 'unreadable-answer'; readonly live: boolean | null }
  | { readonly kind: 'unreachable'; readonly live: boolean | null; readonly detail: string }
