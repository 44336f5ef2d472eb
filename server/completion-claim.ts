/** The name under which a session is claimed while its bytes are verified. It accepts no parts in the meantime. */
export function completionOf(sessionId: string): string {
  return `complete ${sessionId}`
}
