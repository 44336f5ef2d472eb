export type KnownPart = {
  readonly number: number
  readonly hasUrl: boolean
  readonly hasEtag: boolean
  /** The service computed a different checksum for the unchanged file, so Sluice must send the part again. */
  readonly resend: boolean
}

export type ResumePlan =
  | {
      readonly kind: 'send'
      readonly forgetEtags: readonly number[]
      readonly send: readonly number[]
      readonly guessEtags: readonly number[]
    }
  | { readonly kind: 'give-up' }

/**
 * Decides which parts to send after reading the session. The service's list of missing parts wins over the journal. If
 * a crash lost the ETag of a stored part, Sluice sends the part again to its old URL. If that URL has expired, Sluice
 * guesses the ETag (quoted MD5), or gives up the session if the part is marked `resend`.
 */
export const planResume = (
  parts: readonly KnownPart[],
  missing: ReadonlySet<number>,
  oldUrlWorks: (part: number) => boolean,
): ResumePlan => {
  const forgetEtags: number[] = []
  const send: number[] = []
  const guessEtags: number[] = []
  for (const part of parts) {
    if (missing.has(part.number)) {
      if (part.hasEtag) forgetEtags.push(part.number)
      send.push(part.number)
    } else if (!part.hasEtag || part.resend) {
      if (part.hasUrl && oldUrlWorks(part.number)) send.push(part.number)
      else if (part.resend) return { kind: 'give-up' }
      else guessEtags.push(part.number)
    }
  }
  return { kind: 'send', forgetEtags, send, guessEtags }
}
