/** One level of what addresses and JSON do to a text; a secret is still one behind any number of them. */
export const unescapeOnce = (text: string): string =>
  text
    .replace(/(?:%[0-9a-f]{2})+/gi, decodePercent)
    .replace(/\\u00([0-7][0-9a-f])/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    // Each run is taken as a whole, so that a long one is not tried from each of its places.
    .replace(/\\+\/?/g, (run) => (run.endsWith('/') ? '/' : run))

const decodePercent = (sequence: string): string => {
  try {
    return decodeURIComponent(sequence)
  } catch {
    // No UTF-8, so byte by byte: what is hidden here is plain ASCII.
    return sequence.replace(/%(..)/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}
