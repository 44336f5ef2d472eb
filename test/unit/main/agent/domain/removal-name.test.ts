import fc from 'fast-check'
import { expect, test } from 'vitest'
import { removalNameFor } from '../../../../../main/agent/domain/removal-name.ts'
import { isNeverRecording, isRemovalName } from '../../../../../shared/paths/system-names.ts'

const KEY = '3f2b8a52-5d0c-4b3e-9a6f-0c1d2e3f4a5b'
const hiddenName = fc.uuid({ version: 4 }).map((key) => `.sluice-removing-${key}~`)
const names = fc
  .tuple(fc.array(hiddenName, { maxLength: 4 }), fc.stringMatching(/^[a-zé.~-]{1,90}$/))
  .map(([prefixes, rest]) => prefixes.join('') + rest)
  .filter((name) => name !== '.' && name !== '..' && !isNeverRecording(name))

test('the temporary name of every recording is recognised, even if the recording is named like a temporary file', () =>
  fc.assert(fc.property(names, (name) => isRemovalName(removalNameFor(KEY, name)))))

test('a temporary name contains the original name, unless that name looks like a temporary one', () => {
  const temporary = `.sluice-removing-${KEY}~`
  expect(removalNameFor(KEY, 'take.mcap')).toBe(`${temporary}take.mcap`)
  expect(removalNameFor(KEY, `${temporary}${temporary}y`)).toMatch(/~_sluice-removing-/)
})
