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
const unknown = ['unmarked', 'unknown']

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

const u16 = (value: number) => Buffer.from([value & 0xff, value >> 8])
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const chunk = (name: string, body: Buffer, pad = body.length % 2) =>
  Buffer.concat([Buffer.from(name, 'latin1'), u32(body.length), body, Buffer.alloc(pad)])
/** Mono with 24 bits, so that an odd number of samples is an odd number of bytes. */
const sampleFormat = chunk('fmt ', Buffer.concat([u16(1), u16(1), u32(8000), u32(24_000), u16(3), u16(24)]))
const waveOf = (...chunks: readonly Buffer[]) => {
  const body = Buffer.concat([Buffer.from('WAVE'), sampleFormat, ...chunks])
  return Buffer.concat([Buffer.from('RIFF'), u32(body.length), body])
}
const samples = (bytes: number) => chunk('data', Buffer.alloc(bytes, 7))

describe('a WAV file with more bytes after its end', () => {
  const even = waveOf(samples(300))
  const padded = (bytes: Buffer, zeros: number) => Buffer.concat([bytes, Buffer.alloc(zeros)])

  test.each([1, 2, 512, 300_000, 4 << 20])('may be complete if these are %i zeros', async (zeros) => {
    expect(await verdictOf('a.wav', padded(even, zeros))).toEqual(unknown)
    expect(await verdictOf('a.wav', padded(waveOf(samples(301)), zeros))).toEqual(unknown)
  })

  test('is cut off if these are not all zeros, or are too many', async () => {
    for (const more of [padded(Buffer.from([1]), 600), Buffer.concat([Buffer.alloc(600), Buffer.from([1])])])
      expect(await verdictOf('a.wav', Buffer.concat([even, more]))).toEqual(cutOff)
    expect(await verdictOf('a.wav', padded(even, (4 << 20) + 1))).toEqual(cutOff)
  })

  test('is cut off if its header states no samples and only zeros follow', async () => {
    const killed = waveOf(chunk('data', Buffer.alloc(0)))
    expect(await verdictOf('a.wav', padded(killed, 48_000))).toEqual(cutOff)
    for (const riffSize of [0, 36]) {
      const unfinished = Buffer.from(killed)
      unfinished.writeUInt32LE(riffSize, 4)
      expect(await verdictOf('a.wav', padded(unfinished, 48_000))).toEqual(cutOff)
    }
  })

  test('is cut off if its samples continue after the end of the RIFF chunk', async () => {
    const inconsistent = Buffer.from(even)
    inconsistent.writeUInt32LE(even.length - 8 - 100, 4)
    expect(await verdictOf('a.wav', inconsistent)).toEqual(cutOff)
    inconsistent.fill(0, even.length - 100)
    expect(await verdictOf('a.wav', inconsistent)).toEqual(cutOff)
  })
})

describe('a WAV file whose last chunk has an odd size', () => {
  const list = chunk('LIST', Buffer.from('INFOx'))

  test.each([
    ['samples', waveOf(samples(301))],
    ['a list', waveOf(samples(300), list)],
  ])('is complete with or without its pad byte, if the last chunk holds %s', async (_, padded) => {
    expect(await verdictOf('a.wav', padded)).toEqual(complete)
    expect(await verdictOf('a.wav', padded.subarray(0, -1))).toEqual(complete)
  })

  test('is cut off if more than a pad byte is missing', async () => {
    for (const padded of [waveOf(samples(301)), waveOf(samples(300), list)])
      for (const missing of [2, 3, 4, 12])
        expect((await verdictOf('a.wav', padded.subarray(0, -missing)))[0]).toBe('cut-off')
    for (const bytes of [300, 302])
      expect(await verdictOf('a.wav', waveOf(samples(bytes)).subarray(0, -1))).toEqual(cutOff)
    for (const last of [list, chunk('LIST', Buffer.from('INFO'))])
      expect((await verdictOf('a.wav', waveOf(last, samples(300)).subarray(0, -1)))[0]).toBe('cut-off')
  })

  test('without a pad byte, is cut off if a byte of its samples is missing', async () => {
    const bytes = waveOf(samples(301)).subarray(0, -1)
    bytes.writeUInt32LE(bytes.length - 8, 4)
    expect(await verdictOf('a.wav', bytes)).toEqual(complete)
    expect(await verdictOf('a.wav', bytes.subarray(0, -1))).toEqual(cutOff)
  })

  test('is cut off if the missing byte is the first byte of a chunk', async () => {
    const lastByteOnly = waveOf(samples(300), Buffer.from('L')).subarray(0, -1)
    expect((await verdictOf('a.wav', lastByteOnly))[0]).toBe('cut-off')
  })
})

describe('a PNG file with zeros after its end', () => {
  const { bytes } = storedFile('image.png')

  test.each([1, 512, 4_095, 4_096, 600_000])('is complete: %i zeros', async (zeros) => {
    expect(await verdictOf('a.png', Buffer.concat([bytes, Buffer.alloc(zeros)]))).toEqual(complete)
  })

  test('is cut off if its last bytes are missing or zeros', async () => {
    for (const missing of [1, 2, 4, 11, 12, 13, 100])
      for (const zeros of [0, missing, 512])
        expect(
          await verdictOf('a.png', Buffer.concat([bytes.subarray(0, -missing), Buffer.alloc(zeros)])),
        ).toEqual(cutOff)
    expect((await verdictOf('a.png', Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(512)])))[0]).toBe(
      'cut-off',
    )
  })

  test('may be complete or cut off if there are more zeros than Sluice reads', async () => {
    const padded = Buffer.concat([bytes, Buffer.alloc(5 << 20)])
    expect(await verdictOf('a.png', padded)).toEqual(['unmarked', 'unknown'])
  })
})
