import { expect, test } from 'vitest'
import { decodeText } from '../../../../shared/words/decode-text.ts'

const text = '{\r\n  "site": "Halle Süd 三 😀"\r\n}\r\n'
const utf16be = (content: string) => Buffer.from(content, 'utf16le').swap16()

test.each<[string, Buffer]>([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a BOM', Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 LE with a BOM', Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 LE', Buffer.from(text, 'utf16le')],
  ['UTF-16 BE with a BOM', utf16be(`\uFEFF${text}`)],
  ['UTF-16 BE', utf16be(text)],
])('%s is decoded', (_, bytes) => {
  expect(decodeText(bytes)).toEqual({ ok: true, text })
})
