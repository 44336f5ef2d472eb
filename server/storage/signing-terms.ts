export type PartAddress = { readonly sessionId: string; readonly number: number }

/**
 * A new epoch invalidates all URLs of earlier epochs, even before they expire. URLs of direct parts ignore the epoch.
 */
export type SigningTerms = { readonly nowMs: number; readonly lifetimeS: number; readonly epoch: number }
