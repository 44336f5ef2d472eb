import { expect, test } from 'vitest'
import { hasEndMark, isCheckedEarly } from '../../../../../main/agent/domain/end-marks.ts'

test('Sluice checks a file early if its extension suggests an inspected format', () => {
  expect(
    ['a.mcap', 'A.MP4', 'run_0.db3', 'x.h5', 'x.parquet', 'a.wav', 'b.JPG'].filter(isCheckedEarly),
  ).toHaveLength(7)
  expect(['a.txt', 'mcap', 'a.mcap.tmp', 'a.bag.active'].filter(isCheckedEarly)).toEqual([])
})

test('a WAV header is no end mark, because recorders rewrite it', () => {
  expect(hasEndMark('mcap')).toBe(true)
  expect(hasEndMark('wav')).toBe(false)
  expect(hasEndMark('other')).toBe(false)
})
