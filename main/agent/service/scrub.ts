import { redact } from '../../../shared/redact.ts'

const MAX_DETAIL_CHARS = 300

export type Scrub = (text: string) => string

/**
 * Text from outside (error messages, bodies) ends up in timelines, logs and bug reports. The key and the query
 * of any address, which is where a signature lives, must not travel with it.
 */
export const createScrub =
  (secrets: readonly string[]): Scrub =>
  (text) => {
    const withoutSecrets = secrets
      .filter((secret) => secret !== '')
      .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
    const withoutSignatures = redact(withoutSecrets)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a body's control characters would garble a log line
    const oneLine = withoutSignatures.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
    return oneLine.length > MAX_DETAIL_CHARS ? `${oneLine.slice(0, MAX_DETAIL_CHARS)}…` : oneLine
  }
