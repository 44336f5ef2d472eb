import { expect, test } from 'vitest'
import { marksItsEnd, mayMarkItsEnd } from '../../../../../main/agent/domain/end-marks.ts'

test('a file is checked early if its name belongs to a format with an end mark', () => {
  expect(['a.mcap', 'A.MP4', 'run_0.db3', 'x.h5', 'x.parquet'].filter(mayMarkItsEnd)).toHaveLength(5)
  expect(['a.wav', 'a.csv', 'mcap', 'a.mcap.tmp', 'a.bag.active'].filter(mayMarkItsEnd)).toEqual([])
})

test('a WAV header is no end mark, because recorders rewrite it', () => {
  expect(marksItsEnd('mcap')).toBe(true)
  expect(marksItsEnd('wav')).toBe(false)
  expect(marksItsEnd('other')).toBe(false)
})
