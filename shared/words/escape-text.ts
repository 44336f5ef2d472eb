/**
 * Names of files and words of the service are shown to people. What is not seen there, or changes how the rest is
 * seen, is shown as its number: control characters, which a terminal obeys, line breaks, which forge a log line, and
 * marks that turn the reading direction or have no width. The same escapes are those of JSON, so that JSON stays
 * the same JSON.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

export const escapeText = (text: string): string =>
  text.replace(unseen, (found) =>
    Array.from({ length: found.length }, (_, at) => found.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** No longer than this, and never half a character. */
export const cutText = (text: string, mostChars: number): string => {
  if (text.length <= mostChars) return text
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(mostChars - 1))
  return `${text.slice(0, isHalf ? mostChars - 1 : mostChars)}…`
}

/**
 * For a text that is yet to be searched for secrets. The last word is left out where the text was cut: half a key or
 * half an address is not known for what it is.
 */
export const cutWords = (text: string, mostChars: number): string => {
  if (text.length <= mostChars) return text
  let end = mostChars
  while (end > 0 && /\S/.test(text.charAt(end))) end -= 1
  return `${text.slice(0, end)}…`
}

/** The longest path that Linux knows; a sentence is far shorter. */
const mostLineChars = 4096

/** One line for a terminal, whatever is in the text. */
export const showLine = (text: string): string => cutText(escapeText(text), mostLineChars)
