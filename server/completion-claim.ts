/** The name of the claim on a session while the service verifies its bytes. The session accepts no parts meanwhile. */
export function completionClaimName(sessionId: string): string {
  return `complete ${sessionId}`
}
