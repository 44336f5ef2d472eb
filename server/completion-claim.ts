/** The service holds this claim while it verifies the bytes of a session. Meanwhile, the session accepts no parts. */
export function completionClaimName(sessionId: string): string {
  return `complete ${sessionId}`
}
