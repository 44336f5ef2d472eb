import { isUtf8 } from 'node:buffer'
import { escapeText } from '../../../../shared/words/escape-text.ts'

/** Length of the UTF-8 sequence that a lead byte announces; 1 for anything that is none. */
const announcedLength = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1)

/** `tür-\xff.wav`: the readable characters as they are, what is not seen and each byte that is no UTF-8 as its number. */
export const escapeName = (name: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < name.length; ) {
    const sequence = name.subarray(at, at + announcedLength(name[at]!))
    if (isUtf8(sequence)) {
      text += escapeText(Buffer.from(sequence).toString())
      at += sequence.length
    } else {
      text += `\\x${name[at]!.toString(16).padStart(2, '0')}`
      at += 1
    }
  }
  return text
}
