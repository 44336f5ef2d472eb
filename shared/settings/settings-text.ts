/**
 * The text of a settings file as editors save it: UTF-8 with or without a byte order mark, or UTF-16 of either order
 * (Notepad's "Unicode", `Out-File` of Windows' own PowerShell), with a mark or without.
 */
export type SettingsText =
  | { readonly ok: true; readonly text: string }
  /** The end of a sentence about the file: what it is not, and where. */
  | { readonly ok: false; readonly fault: string }

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

const names: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
}

/** Where no mark tells, a zero in the first two bytes does: JSON begins with an ASCII character. */
const encodingOf = ([first, second]: Uint8Array): Encoding => {
  if (first === undefined || second === undefined) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (second === 0 && first !== 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : 'utf-8'
}

export const decodeSettingsText = (bytes: Uint8Array): SettingsText => {
  const encoding = encodingOf(bytes)
  try {
    return { ok: true, text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    const before = readableStart(bytes, encoding)
    const line = before.split('\n').length
    const column = before.length - before.lastIndexOf('\n')
    return {
      ok: false,
      fault: `not valid ${names[encoding]} text: see line ${line}, column ${column}. Save it as UTF-8`,
    }
  }
}

/** Whether a beginning can be read only changes once, so the place is found by halving. */
const readableStart = (bytes: Uint8Array, encoding: Encoding): string => {
  let readable = 0
  let text = ''
  for (let beyond = bytes.length + 1; beyond - readable > 1; ) {
    const middle = Math.floor((readable + beyond) / 2)
    try {
      // As a stream: a character that is only cut in two is no fault yet.
      text = new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(0, middle), { stream: true })
      readable = middle
    } catch {
      beyond = middle
    }
  }
  return text
}
