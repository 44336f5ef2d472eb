import { describe, expect, test } from 'vitest'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { hdf5OfLongNames } from '../../../support/formats/hostile-files.ts'
import { limitsByClockReads, sourceOf, storedFile } from '../../../support/formats/recorded-files.ts'

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}

/** A ROS 1 bag whose only chunk names each of its two connections several times. */
const bagOfRepeatedConnections = (times: number): Buffer => {
  const { bytes } = storedFile('gap.bag')
  // The bag ends with the message counts of both connections.
  const counts = bytes.subarray(bytes.length - 16)
  const repeated = Array.from({ length: times }, () => counts)
  return Buffer.concat([bytes.subarray(0, bytes.length - 20), u32(16 * times), ...repeated])
}

const box = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** An MP4 file whose track has boxes inside boxes of the same type. */
const movieOfNestedBoxes = (levels: number): Buffer => {
  const boxes = Buffer.alloc(8 * levels)
  for (let at = 0; at < boxes.length; at += 8) {
    boxes.writeUInt32BE(boxes.length - at, at)
    boxes.write('mdia', at + 4)
  }
  return Buffer.concat([
    box('ftyp', Buffer.from('isom0000')),
    box('mdat', Buffer.alloc(8)),
    box('moov', box('trak', boxes)),
  ])
}

describe('the inspection of a hostile file', () => {
  test('ends at the time limit if a ROS 1 bag names a connection many times', async () => {
    const source = sourceOf({ name: 'a.bag', bytes: bagOfRepeatedConnections(10_000) })
    const { warnings } = await inspect(source, limitsByClockReads(5_000))
    expect(warnings.map(({ code }) => code)).toEqual(['took-too-long'])
  })

  test('counts each message once if a ROS 1 bag names a connection twice', async () => {
    const source = sourceOf({ name: 'a.bag', bytes: bagOfRepeatedConnections(2) })
    const { channels } = await inspect(source, limitsByClockReads())
    // The inspection ignores the times in such a chunk, and spreads its messages evenly.
    expect(channels.map(({ largestGapS }) => largestGapS! < 0.5)).toEqual([true, true])
  })

  test('ends at the time limit if an HDF5 group has very many names', async () => {
    const source = sourceOf({ name: 'a.h5', bytes: hdf5OfLongNames(30_000, 10) })
    const { warnings } = await inspect(source, limitsByClockReads(20_000))
    expect(warnings.map(({ code }) => code)).toContain('took-too-long')
  })

  test('reads only a part of an MP4 file whose boxes are nested very deeply', async () => {
    const source = sourceOf({ name: 'a.mp4', bytes: movieOfNestedBoxes(100_000) })
    await inspect(source, limitsByClockReads(1_000_000))
    expect(source.counts.bytes).toBeLessThan(100_000)
  })
})
