import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { escapeToAscii } from '../../../../scripts/building/escape-to-ascii.mjs'

test.each([
  "'the folder’s site – 20 %'",
  `\`über \${1 + 1} Dateien 🎞️\``,
  '/^[à-ÿ🎞]+$/u.test("à🎞")',
  '/–/.test("a – b")',
  '(() => { const größe = 3; return größe })() // größer',
])('%s means the same in plain ASCII', (code) => {
  const escaped = escapeToAscii(code)
  expect(escaped).toMatch(/^[\x20-\x7e]*$/)
  expect(runInNewContext(escaped)).toEqual(runInNewContext(code))
})

test('throws an error for code that cannot be written in ASCII', () => {
  expect(() => escapeToAscii('/\\–/')).toThrow('a backslash before a character that is not ASCII')
})
