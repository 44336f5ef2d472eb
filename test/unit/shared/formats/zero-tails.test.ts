import { describe, expect, test } from 'vitest'
import { findEnd, inspect } from '../../../../shared/formats/inspect.ts'
import {
  limitsByClockReads,
  type RecordedFile,
  sourceOf,
  storedFile,
} from '../../../support/formats/recorded-files.ts'

/** Replaces the end of a file by zeros, as a power failure does. */
const withZeroTail = ({ name, bytes }: RecordedFile, from: number): RecordedFile => {
  const copy = Buffer.from(bytes)
  copy.fill(0, from)
  return { name, bytes: copy }
}

const completenessOf = async (file: RecordedFile) =>
  (await inspect(sourceOf(file), limitsByClockReads())).completeness

const completeOffsets = async (file: RecordedFile, from: number, to = file.bytes.length) => {
  const offsets: number[] = []
  for (let at = from; at < to; at += 1)
    if ((await completenessOf(withZeroTail(file, at))) === 'complete') offsets.push(at)
  return offsets
}

const startOfBox = (bytes: Buffer, type: string) => bytes.lastIndexOf(type) - 4

/** A movie that ends with its only track. The track ends with its table of chunk offsets. */
const movieOfOneTrack = (): RecordedFile => {
  const { name, bytes } = storedFile('camera.mov')
  const [movieAt, end] = [startOfBox(bytes, 'moov'), startOfBox(bytes, 'udta')]
  const movie = Buffer.from(bytes.subarray(0, end))
  movie.writeUInt32BE(end - movieAt, movieAt)
  return { name, bytes: movie }
}

describe('a file whose end was replaced by zeros', () => {
  test('is not a complete movie if the zeros cover one of its tables', async () => {
    const movie = movieOfOneTrack()
    const lastEntryAt = movie.bytes.length - 4
    expect(await completenessOf(movie)).toBe('complete')
    const offsets = await completeOffsets(movie, startOfBox(movie.bytes, 'moov'))
    expect(offsets.filter((at) => at <= lastEntryAt)).toEqual([])
  })

  test.each(['episode.h5', 'latest.h5', 'dense.h5', 'ordered.h5', 'user-block.h5'])(
    'is a complete %s only if all its datasets can still be found',
    { timeout: 60_000 },
    async (name) => {
      const file = storedFile(name)
      const { channels } = await inspect(sourceOf(file), limitsByClockReads())
      // HDF5 objects begin at multiples of eight bytes.
      for (let at = 8; at < file.bytes.length; at += 8) {
        const inspection = await inspect(sourceOf(withZeroTail(file, at)), limitsByClockReads())
        if (inspection.completeness === 'complete')
          expect(inspection.channels, `zeros from byte ${at}`).toEqual(channels)
      }
    },
  )
})

const image = storedFile('image.jpg')
const paddedImage = (bytes: Buffer, zeros: number) =>
  sourceOf({ name: image.name, bytes: Buffer.concat([bytes, Buffer.alloc(zeros)]) })
const megabyte = 1 << 20

describe('a JPEG file', () => {
  test('with megabytes of zeros after its end is read in few pieces', async () => {
    const source = paddedImage(image.bytes, 4 * megabyte - 10_000)
    expect((await findEnd(source, limitsByClockReads())).end).toBe('marked')
    expect(source.counts.reads).toBeLessThan(30)
  })

  test('counts neither as complete nor as cut off if more zeros follow its end than Sluice reads', async () => {
    for (const bytes of [image.bytes, image.bytes.subarray(0, -20)]) {
      const source = paddedImage(bytes, 5 * megabyte)
      expect((await findEnd(source, limitsByClockReads())).end).toBe('unmarked')
      expect((await inspect(source, limitsByClockReads())).completeness).toBe('unknown')
    }
  })

  test('without padding is read only at its end', async () => {
    const source = paddedImage(Buffer.concat([image.bytes, Buffer.alloc(megabyte, 1), image.bytes]), 0)
    expect((await findEnd(source, limitsByClockReads())).end).toBe('marked')
    expect(source.counts.bytes).toBeLessThan(20_000)
  })
})

describe('a complete movie with zeros after its end', () => {
  test.each([1, 8, 300_000])('still counts as complete: %i zeros', async (zeros) => {
    for (const { name, bytes } of [
      movieOfOneTrack(),
      storedFile('camera.mp4'),
      storedFile('faststart.mp4'),
    ]) {
      const source = sourceOf({ name, bytes: Buffer.concat([bytes, Buffer.alloc(zeros)]) })
      expect((await findEnd(source, limitsByClockReads())).end).toBe('marked')
      expect((await inspect(source, limitsByClockReads())).completeness).toBe('complete')
    }
  })

  test('still counts as complete if the zeros are inside `moov`, as the end mark of its list of boxes', async () => {
    const { name, bytes } = movieOfOneTrack()
    const movieAt = startOfBox(bytes, 'moov')
    bytes.writeUInt32BE(bytes.readUInt32BE(movieAt) + 4, movieAt)
    const source = sourceOf({ name, bytes: Buffer.concat([bytes, Buffer.alloc(4)]) })
    expect((await findEnd(source, limitsByClockReads())).end).toBe('marked')
    expect((await inspect(source, limitsByClockReads())).completeness).toBe('complete')
  })
})
