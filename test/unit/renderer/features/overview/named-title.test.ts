import { expect, test } from 'vitest'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { namedTitle } from '../../../../../renderer/features/overview/named-title.ts'
import type { ProblemCode } from '../../../../../shared/status/problem.ts'

const folder = { folder: '/media/CARD-04', count: 0, examples: [] }
const recording = { count: 1, examples: [{ id: 1, name: 'empty_0619.mcap' }] }
const twoRecordings = { count: 2, examples: [...recording.examples, { id: 2, name: 'empty_0620.mcap' }] }

test.each<[string | null, typeof folder | typeof recording, ProblemCode]>([
  ['Folder CARD-04 cannot be found.', folder, 'folder-offline'],
  ['Folder CARD-04: A different drive or folder is now at this path.', folder, 'folder-replaced'],
  ['empty_0619.mcap is empty: the recorder wrote nothing.', recording, 'empty-file'],
  ['empty_0619.mcap is stored, but processing failed.', recording, 'processing-failed'],
  ['empty_0619.mcap: The service does not accept the file name.', recording, 'name-refused'],
  [
    'empty_0619.mcap: The file name is not valid text, so the file cannot be opened.',
    recording,
    'file-name-not-text',
  ],
  [
    'empty_0619.mcap: The folder’s site, device or notes cannot be filled in for this file.',
    recording,
    'placeholder-unfilled',
  ],
  [null, twoRecordings, 'empty-file'],
])('the title of a card: %s', (title, group, code) => {
  const parts = namedTitle(group, problemOf(code).sentence)
  expect(parts === null ? null : `${parts.before}${parts.name}${parts.after}`).toBe(title)
})
