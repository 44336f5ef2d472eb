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
const judge = (name: string, content: Buffer, size = content.length) =>
  findEnd({ ...sourceOf({ name, bytes: content }), size }, limitsByClockReads())

describe('detecting whether a file is complete from its bytes', () => {
  it.each([
    ['MCAP with both magics', 'a.mcap', Buffer.concat([magic, noise, magic]), 'mcap', 'marked'],
    ['MCAP under another name', 'a.bin', Buffer.concat([magic, noise, magic]), 'mcap', 'marked'],
    ['MCAP in capitals', 'A.MCAP', Buffer.concat([magic, noise, magic]), 'mcap', 'marked'],
    ['MCAP without its end', 'a.mcap', Buffer.concat([magic, noise]), 'mcap', 'cut-off'],
    ['MCAP with a single magic that is both first and last', 'a.mcap', magic, 'mcap', 'cut-off'],
    ['MCAP that starts with noise', 'a.mcap', Buffer.concat([noise, magic]), 'mcap', 'cut-off'],
    ['empty MCAP', 'a.mcap', Buffer.alloc(0), 'mcap', 'cut-off'],
    ['empty WAV', 'a.wav', Buffer.alloc(0), 'wav', 'cut-off'],
    ['WAV by content', 'a.dat', wave('RIFF', 4), 'wav', 'marked'],
    ['WAV whose size is not written yet', 'a.wav', wave('RIFF', 0), 'wav', 'cut-off'],
    ['RF64', 'a.wav', wave('RF64', 4), 'wav', 'unmarked'],
    ['BW64', 'a.wav', wave('BW64', 4), 'wav', 'unmarked'],
    ['WAV streamed without a size', 'a.wav', wave('RIFF', 0xffffffff), 'wav', 'unmarked'],
    ['something else called .wav', 'a.wav', noise, 'wav', 'unmarked'],
    ['anything else', 'a.txt', noise, 'other', 'unmarked'],
    ['an empty file', 'a.txt', Buffer.alloc(0), 'other', 'unmarked'],
  ] as const)('%s', async (_what, name, content, format, end) => {
    expect(await judge(name, content)).toEqual({ format, end })
  })

  it('accepts a WAV whose size excludes the padding byte', async () => {
    expect(await judge('a.wav', wave('RIFF', 5), 14)).toEqual({ format: 'wav', end: 'marked' })
  })

  it('rejects a WAV with more or fewer bytes than its header says', async () => {
    for (const size of [1007, 1010])
      expect(await judge('a.wav', wave('RIFF', 1000), size)).toMatchObject({ end: 'cut-off' })
  })
})
