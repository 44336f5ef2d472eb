import { expect, test } from 'vitest'
import { hasEndMark, mayHaveEndMark } from '../../../../../main/agent/domain/end-marks.ts'

test('Sluice checks a file early if its name belongs to a format with an end mark', () => {
  expect(['a.mcap', 'A.MP4', 'run_0.db3', 'x.h5', 'x.parquet'].filter(mayHaveEndMark)).toHaveLength(5)
  expect(['a.wav', 'a.csv', 'mcap', 'a.mcap.tmp', 'a.bag.active'].filter(mayHaveEndMark)).toEqual([])
})

test('a WAV header is no end mark, because recorders rewrite it', () => {
  expect(hasEndMark('mcap')).toBe(true)
  expect(hasEndMark('wav')).toBe(false)
  expect(hasEndMark('other')).toBe(false)
})
