import { describe, expect, it } from 'vitest'
import { detectFormat } from '../../../../../../main/agent/platform/files/recording-format.ts'

const magic = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a])
const wave = (kind: string, riffSize: number): Buffer => {
  const head = Buffer.from(`${kind}----WAVE`, 'latin1')
  head.writeUInt32LE(riffSize, 4)
  return head
}
const noise = Buffer.from('abcdefghijkl')
const judge = (path: string, content: Buffer, sizeBytes = content.length) =>
  detectFormat(path, sizeBytes, content.subarray(0, 12), content.subarray(Math.max(0, content.length - 8)))

describe('detecting whether a file is complete from its bytes', () => {
  it.each([
    ['MCAP with both magics', 'a.mcap', Buffer.concat([magic, noise, magic]), 'mcap', 'yes'],
    ['MCAP under another name', 'a.bin', Buffer.concat([magic, noise, magic]), 'mcap', 'yes'],
    ['MCAP in capitals', 'A.MCAP', Buffer.concat([magic, noise, magic]), 'mcap', 'yes'],
    ['MCAP without its end', 'a.mcap', Buffer.concat([magic, noise]), 'mcap', 'no'],
    ['MCAP with a single magic that is both first and last', 'a.mcap', magic, 'mcap', 'no'],
    ['MCAP that starts with noise', 'a.mcap', Buffer.concat([noise, magic]), 'mcap', 'no'],
    ['empty MCAP', 'a.mcap', Buffer.alloc(0), 'mcap', 'no'],
    ['empty WAV', 'a.wav', Buffer.alloc(0), 'wav', 'no'],
    ['WAV by content', 'a.dat', wave('RIFF', 4), 'wav', 'yes'],
    ['WAV whose size is not written yet', 'a.wav', wave('RIFF', 0), 'wav', 'no'],
    ['RF64', 'a.wav', wave('RF64', 4), 'wav', 'unknown'],
    ['BW64', 'a.wav', wave('BW64', 4), 'wav', 'unknown'],
    ['WAV streamed without a size', 'a.wav', wave('RIFF', 0xffffffff), 'wav', 'unknown'],
    ['something else called .wav', 'a.wav', noise, 'other', 'unknown'],
    ['anything else', 'a.txt', noise, 'other', 'unknown'],
    ['an empty file', 'a.txt', Buffer.alloc(0), 'other', 'unknown'],
  ] as const)('%s', (_what, path, content, format, complete) => {
    expect(judge(path, content)).toEqual({ format, complete })
  })

  it('accepts a WAV whose size excludes the padding byte', () => {
    expect(judge('a.wav', wave('RIFF', 5), 14)).toEqual({ format: 'wav', complete: 'yes' })
  })

  it('rejects a WAV with more or fewer bytes than its header says', () => {
    expect(judge('a.wav', wave('RIFF', 1000), 1007).complete).toBe('no')
    expect(judge('a.wav', wave('RIFF', 1000), 1010).complete).toBe('no')
  })
})
