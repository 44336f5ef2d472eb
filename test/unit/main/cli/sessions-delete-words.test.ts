import { expect, test } from 'vitest'
import { deletionWords } from '../../../../main/cli/sessions-delete-command.ts'

const kept = { state: 'processed', current: true, removedAtMs: null, movedTo: null } as const

test('that the file stays is said only where it is on this PC', () => {
  const stays = 'the file on this PC stays.'
  expect(deletionWords([kept])).toContain(stays)
  expect(deletionWords([{ ...kept, removedAtMs: 1, movedTo: '/archive/take.bin' }])).toContain(stays)
  const onlyCopy = 'the service has what may be the only copy.'
  expect(deletionWords([{ ...kept, removedAtMs: 1 }])).toContain(onlyCopy)
  expect(deletionWords([{ ...kept, current: false }])).toContain(onlyCopy)
  expect(deletionWords([{ ...kept, removedAtMs: 1 }, kept])).toContain(stays)
  expect(deletionWords([])).toContain('knows of no file of it on this PC')
})
