import { expect, test } from 'vitest'
import { deletionWords } from '../../../../main/cli/sessions-delete-command.ts'

const recording = { state: 'processed', current: true, removedAtMs: null, movedTo: null } as const

test('only if there is a copy on this PC, the message says that the file stays', () => {
  const stays = 'the file on this PC stays.'
  expect(deletionWords([recording])).toContain(stays)
  expect(deletionWords([{ ...recording, removedAtMs: 1, movedTo: '/archive/take.bin' }])).toContain(stays)
  const onlyCopy = 'so the service may have the only copy.'
  expect(deletionWords([{ ...recording, removedAtMs: 1 }])).toContain(onlyCopy)
  expect(deletionWords([{ ...recording, current: false }])).toContain(onlyCopy)
  expect(deletionWords([{ ...recording, removedAtMs: 1 }, recording])).toContain(stays)
  expect(deletionWords([])).toContain('has no record of a copy on this PC')
})
