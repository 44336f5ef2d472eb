/** The result of testing a key at the service. */
export type KeyVerdict =
  | { readonly kind: 'write' | 'read' | 'wrong' | 'unreadable-answer'; readonly live: boolean | null }
  | { readonly kind: 'unreachable'; readonly live: boolean | null; readonly detail: string }
