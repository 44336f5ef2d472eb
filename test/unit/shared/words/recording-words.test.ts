import { expect, test } from 'vitest'
import { wordOf } from '../../../../shared/words/words.ts'
import { aProblem } from '../../main/shell/status-fixture.ts'

const NOW_MS = Date.parse('2026-03-12T07:42:00.000Z')
const settlesAt = '2026-03-12T07:42:06.000Z'
const growing = { standing: 'recording', paused: false } as const

test('after the last write, shows the remaining settle time and whether the file is cut off', () => {
  expect(wordOf({ ...growing, settlesAt: null }, NOW_MS)).toBe('Recording')
  expect(wordOf({ ...growing, settlesAt }, NOW_MS)).toBe('Finishing, 6 s')
  const problem = aProblem({ code: 'file-damaged', endsBy: 'time' })
  expect(wordOf({ ...growing, settlesAt, problem }, NOW_MS)).toBe('Cut off, uploads in 6 s')
})

test('shows a paused recording as paused', () => {
  expect(wordOf({ standing: 'waiting', paused: true }, NOW_MS)).toBe('Paused')
})
