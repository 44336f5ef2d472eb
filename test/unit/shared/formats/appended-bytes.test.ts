import { describe, expect, test } from 'vitest'
import { findEnd, inspect } from '../../../../shared/formats/inspect.ts'
import { limitsByClockReads, sourceOf, storedFile } from '../../../support/formats/recorded-files.ts'

const verdictOf = async (name: string, bytes: Buffer) => {
  const source = sourceOf({ name, bytes })
  const { end } = await findEnd(source, limitsByClockReads())
  return [end, (await inspect(source, limitsByClockReads())).completeness]
}
const complete = ['marked', 'complete']
const cutOff = ['cut-off', 'cut-off']

describe('a FLAC file with an ID3v1 tag at its end', () => {
  const { bytes } = storedFile('mic.flac')
  const tag = Buffer.concat([Buffer.from('TAGtitle'), Buffer.alloc(120, 0x20)])

  test('is complete', async () => {
    expect(await verdictOf('a.flac', Buffer.concat([bytes, tag]))).toEqual(complete)
  })

  test('is cut off if a byte of its sound or of the tag is missing', async () => {
    for (const missing of [1, 2, 3, 50])
      expect(await verdictOf('a.flac', Buffer.concat([bytes.subarray(0, -missing), tag]))).toEqual(cutOff)
    for (const missing of [1, 50, 127])
      expect(await verdictOf('a.flac', Buffer.concat([bytes, tag.subarray(0, -missing)]))).toEqual(cutOff)
  })
})
