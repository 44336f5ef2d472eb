/**
 * The text of a file as editors save it: UTF-8 or UTF-16 of either byte order, with or without a byte order mark.
 * Notepad's "Unicode" and `Out-File` of Windows PowerShell write UTF-16.
 */
type DecodedText =
  | { readonly ok: true; readonly text: string }
  /** `fault` continues a sentence that begins with "The file is". */
  | { readonly ok: false; readonly fault: string; readonly line: number; readonly column: number }

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

const encodingNames: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
}

/**
 * Without a byte order mark, exactly one zero among the first two bytes means UTF-16. This recognises UTF-16 only
 * if the text begins with an ASCII character. The notes beside a recording may begin with a different one.
 */
const encodingOf = ([first, second]: Uint8Array): Encoding => {
  if (first === undefined || second === undefined) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (second === 0 && first !== 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : 'utf-8'
}

export const decodeText = (bytes: Uint8Array): DecodedText => {
  const encoding = encodingOf(bytes)
  try {
    return { ok: true, text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    const readableText = readableStart(bytes, encoding)
    const line = readableText.split('\n').length
    const column = readableText.length - readableText.lastIndexOf('\n')
    const fault = `not valid ${encodingNames[encoding]} text: see line ${line}, column ${column}. Save it as UTF-8`
    return { ok: false, fault, line, column }
  }
}

/** Finds the longest readable prefix by binary search. */
const readableStart = (bytes: Uint8Array, encoding: Encoding): string => {
  let readable = 0
  let text = ''
  for (let unreadable = bytes.length + 1; unreadable - readable > 1; ) {
    const middle = Math.floor((readable + unreadable) / 2)
    try {
      // In stream mode, a character cut at the end is not an error.
      text = new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(0, middle), { stream: true })
      readable = middle
    } catch {
      unreadable = middle
    }
  }
  return text
}
