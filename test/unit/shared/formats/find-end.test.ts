import { describe, expect, it } from 'vitest'
import { findEnd } from '../../../../shared/formats/inspect.ts'
import { limitsByClockReads, sourceOf } from '../../../support/formats/recorded-files.ts'

const magic = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a])
const wave = (kind: string, riffSize: number): Buffer => {
  const head = Buffer.from(`${kind}----WAVE`, 'latin1')
  head.writeUInt32LE(riffSize, 4)
  return head
}
const noise = Buffer.from('abcdefghijkl')
const findEndOf = (name: string, content: Buffer, size = content.length) =>
  findEnd({ ...sourceOf({ name, bytes: content }), size }, limitsByClockReads())

describe('detecting whether a file is complete', () => {
  it.each([
    [
      'MCAP with the magic bytes at both ends',
      'a.mcap',
      Buffer.concat([magic, noise, magic]),
      'mcap',
      'marked',
    ],
    ['MCAP with a different extension', 'a.bin', Buffer.concat([magic, noise, magic]), 'mcap', 'marked'],
    ['MCAP with a name in capitals', 'A.MCAP', Buffer.concat([magic, noise, magic]), 'mcap', 'marked'],
    ['MCAP without its end', 'a.mcap', Buffer.concat([magic, noise]), 'mcap', 'cut-off'],
    ['MCAP with nothing but its first magic bytes', 'a.mcap', magic, 'mcap', 'cut-off'],
    ['MCAP that starts with noise', 'a.mcap', Buffer.concat([noise, magic]), 'mcap', 'cut-off'],
    ['empty MCAP', 'a.mcap', Buffer.alloc(0), 'mcap', 'cut-off'],
    ['empty WAV', 'a.wav', Buffer.alloc(0), 'wav', 'cut-off'],
    ['WAV with a different extension', 'a.dat', wave('RIFF', 4), 'wav', 'marked'],
    ['WAV whose size is not written yet', 'a.wav', wave('RIFF', 0), 'wav', 'cut-off'],
    ['RF64', 'a.wav', wave('RF64', 4), 'wav', 'unmarked'],
    ['BW64', 'a.wav', wave('BW64', 4), 'wav', 'unmarked'],
    ['a streamed WAV without a size', 'a.wav', wave('RIFF', 0xffffffff), 'wav', 'unmarked'],
    ['a different format with the extension .wav', 'a.wav', noise, 'wav', 'unmarked'],
    ['an unknown format', 'a.txt', noise, 'other', 'unmarked'],
    ['an empty file', 'a.txt', Buffer.alloc(0), 'other', 'unmarked'],
  ] as const)('%s', async (_, name, content, format, end) => {
    expect(await findEndOf(name, content)).toEqual({ format, end })
  })

  it('a WAV whose size excludes the padding byte is complete', async () => {
    expect(await findEndOf('a.wav', wave('RIFF', 5), 14)).toEqual({ format: 'wav', end: 'marked' })
  })

  it('a WAV with more or fewer bytes than its header states is cut off', async () => {
    for (const size of [1007, 1010])
      expect(await findEndOf('a.wav', wave('RIFF', 1000), size)).toMatchObject({ end: 'cut-off' })
  })
})
