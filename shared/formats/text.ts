/** The longest name or text of a file that an inspection keeps. */
const MAX_LENGTH = 300
/** A character has at most four bytes in UTF-8. */
const MAX_BYTES = 4 * (MAX_LENGTH + 1)

/** Limits the length of a text. Returns a copy of the start, because a slice would keep the whole text in memory. */
export const cutText = (text: string): string =>
  text.length <= MAX_LENGTH
    ? text
    : `${Buffer.from(text.slice(0, MAX_LENGTH), 'utf16le').toString('utf16le')}…`

/** The text in `bytes`, limited in length. Does not decode more, because a forged name may have many megabytes. */
export const textOf = (bytes: Uint8Array): string =>
  cutText(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MAX_BYTES)).toString('utf8'))
