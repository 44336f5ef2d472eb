/**
 * What is left to send, after asking the service. Its list of missing parts wins over the journal. A part that
 * it has, but whose ETag a crash swallowed, is sent again to its old URL while that is valid; past that, the
 * storage's convention (quoted MD5) is tried; a part that must be sent again and cannot be ends the session.
 */
export type KnownPart = {
  readonly number: number
  readonly hasUrl: boolean
  readonly hasEtag: boolean
  readonly resend: boolean
}

export type ResumePlan =
  | {
      readonly kind: 'send'
      readonly forgetEtags: readonly number[]
      readonly send: readonly number[]
      readonly guessEtags: readonly number[]
    }
  | { readonly kind: 'abandon' }

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
      else if (part.resend) return { kind: 'abandon' }
      else guessEtags.push(part.number)
    }
  }
  return { kind: 'send', forgetEtags, send, guessEtags }
}
