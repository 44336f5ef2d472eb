import { createRedact } from '../../../shared/redaction/redact.ts'
import { cutText, cutWords } from '../../../shared/words/escape-text.ts'

const MAX_SEARCHED_CHARS = 2048
const MAX_DETAIL_CHARS = 300

export type Scrub = (text: string) => string

/**
 * Text from outside (error messages, bodies) ends up in timelines, logs and bug reports. The key and the query
 * of any address, which is where a signature lives, must not travel with it.
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
