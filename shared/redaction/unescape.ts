/** Removes one level of URL and JSON escaping. Secrets can hide behind several levels. */
export const unescapeOnce = (text: string): string =>
  text
    .replace(/(?:%[0-9a-f]{2})+/gi, decodePercent)
    .replace(/\\u00([0-7][0-9a-f])/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    // Match each run of backslashes as a whole, because a retry at every position would take quadratic time.
    .replace(/\\+\/?/g, (run) => (run.endsWith('/') ? '/' : run))

const decodePercent = (sequence: string): string => {
  try {
    return decodeURIComponent(sequence)
  } catch {
    // Not UTF-8: decode byte by byte, because secrets are plain ASCII.
    return sequence.replace(/%(..)/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}
