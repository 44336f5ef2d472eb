import { isUtf8 } from 'node:buffer'
import { escapeText } from '../../../../shared/words/escape-text.ts'

/** Length of the UTF-8 sequence that starts with this byte; 1 if no sequence starts with it. */
const sequenceLength = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1)

/** `tür-\xff.wav`: keeps readable characters, and escapes invisible characters and bytes that are not UTF-8. */
export const escapeName = (name: Uint8Array): string => {
  let text = ''
  for (let index = 0; index < name.length; ) {
    const sequence = name.subarray(index, index + sequenceLength(name[index]!))
    if (isUtf8(sequence)) {
      text += escapeText(Buffer.from(sequence).toString())
      index += sequence.length
    } else {
      text += `\\x${name[index]!.toString(16).padStart(2, '0')}`
      index += 1
    }
  }
  return text
}
