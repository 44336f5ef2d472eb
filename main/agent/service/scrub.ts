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
    const withoutQueries = withoutSecrets
      .replace(/\b(https?:\/\/)[^\s/"'<>@]*@/gi, '$1')
      .replace(/\?[^\s"'<>]*[=&%][^\s"'<>]*/g, '?[removed]')
      .replace(/\b(signature|credential|token|sig)=[^\s&"'<>]+/gi, '$1=[removed]')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a body's control characters would garble a log line
    const oneLine = withoutQueries.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
    return oneLine.length > MAX_DETAIL_CHARS ? `${oneLine.slice(0, MAX_DETAIL_CHARS)}…` : oneLine
  }
