import { expect, test } from 'vitest'
import { deletionWords } from '../../../../main/cli/sessions-delete-command.ts'

const copy = { state: 'processed', current: true, removedAtMs: null, movedTo: null } as const

test('says that the file stays only if it is on this PC', () => {
  const stays = 'the file on this PC stays.'
  expect(deletionWords([copy])).toContain(stays)
  expect(deletionWords([{ ...copy, removedAtMs: 1, movedTo: '/archive/take.bin' }])).toContain(stays)
  const onlyCopy = 'the service has what may be the only copy.'
  expect(deletionWords([{ ...copy, removedAtMs: 1 }])).toContain(onlyCopy)
  expect(deletionWords([{ ...copy, current: false }])).toContain(onlyCopy)
  expect(deletionWords([{ ...copy, removedAtMs: 1 }, copy])).toContain(stays)
  expect(deletionWords([])).toContain('has no record of a copy on this PC')
})
