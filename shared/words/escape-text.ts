/**
 * Escapes invisible and misleading characters in file names and in texts of the service. A terminal obeys control
 * characters, a line break can forge a log line, and some marks reverse the reading direction or have no width. The
 * escapes are those of JSON, so escaped JSON keeps its meaning.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

export const escapeText = (text: string): string =>
  text.replace(invisible, (characters) =>
    Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** Cuts a text without splitting a character. */
export const cutText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1))
  return `${text.slice(0, isHalf ? maxLength - 1 : maxLength)}…`
}

/** Cuts at a word boundary. `redact` would not recognise half a key or half a URL. */
export const cutWords = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  let end = maxLength
  while (end > 0 && /\S/.test(text.charAt(end))) end -= 1
  return `${text.slice(0, end)}…`
}

/** The longest path on Linux. */
const MAX_LINE_LENGTH = 4096

/** Turns any text into one safe line for a terminal. */
export const showLine = (text: string): string => cutText(escapeText(text), MAX_LINE_LENGTH)
