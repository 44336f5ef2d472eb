import { expect, test } from 'vitest'
import { marksItsEnd, mayMarkItsEnd } from '../../../../../main/agent/domain/end-marks.ts'

test('a name with the ending of a format that marks its end is worth an early look', () => {
  expect(['a.mcap', 'A.MP4', 'run_0.db3', 'x.h5', 'x.parquet'].filter(mayMarkItsEnd)).toHaveLength(5)
  expect(['a.wav', 'a.csv', 'mcap', 'a.mcap.tmp', 'a.bag.active'].filter(mayMarkItsEnd)).toEqual([])
})

test('a WAV header may be written again and again, so it marks no end', () => {
  expect(marksItsEnd('mcap')).toBe(true)
  expect(marksItsEnd('wav')).toBe(false)
  expect(marksItsEnd('other')).toBe(false)
})
