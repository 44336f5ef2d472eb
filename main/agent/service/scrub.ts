import { createRedact } from '../../../shared/redaction/redact.ts'
import { cutText, cutWords } from '../../../shared/words/escape-text.ts'

const MAX_SEARCHED_CHARS = 2048
const MAX_DETAIL_CHARS = 300

export type Scrub = (text: string) => string

/**
 * Text from outside reaches timelines, logs and bug reports. It must contain neither the key nor the query of a URL,
 * which contains the signature.
 */
export const createScrub = (secrets: readonly string[]): Scrub => {
  const redact = createRedact(secrets)
  return (text) => {
    const oneLine = redact(cutWords(text, MAX_SEARCHED_CHARS))
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
    return cutText(oneLine, MAX_DETAIL_CHARS)
  }
}
