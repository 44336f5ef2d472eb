import { describe, expect, test } from 'vitest'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { lz4, zstd } from '../../../contract/compressions.ts'
import type { Compression } from '../../../contract/sample-files.ts'
import {
  cameraMcapFile,
  compressedImage,
  pictureMcapFile,
  rawImage,
} from '../../../support/formats/camera-mcap.ts'
import { limitsByClockReads, sourceOf, storedFile } from '../../../support/formats/recorded-files.ts'

const inspectBytes = (name: string, bytes: Buffer) => inspect(sourceOf({ name, bytes }), limitsByClockReads())
const signalsOf = async (name: string, bytes: Buffer) =>
  (await inspectBytes(name, bytes)).channels.map(({ signal }) => signal)
const picture = (name: string) => storedFile(name).bytes

test.each([
  ['black.jpg', ['black']],
  ['dark-noise.jpg', ['black']],
  ['restarts.jpg', ['black']],
  ['progressive.jpg', [undefined]],
  ['grey.jpg', ['constant']],
  ['monochrome.jpg', ['varies']],
  ['image.jpg', ['varies']],
  ['black.png', ['black']],
  ['one-colour.png', ['constant']],
  ['depth.png', ['varies']],
  ['image.png', ['varies']],
  ['silent.wav', ['silent']],
  ['half-silent.wav', ['varies', 'silent']],
  ['float.wav', ['varies']],
  ['mic.wav', ['varies', 'varies']],
  ['camera.mp4', [undefined, undefined]],
  ['mic.flac', [undefined, undefined]],
])('the content of %s: %j', async (name, signals) => {
  expect(await signalsOf(name, storedFile(name).bytes)).toEqual(signals)
})

test('a black picture that lacks its restart markers is not reported as black', async () => {
  const bytes = picture('black.jpg')
  const scan = bytes.indexOf(Buffer.from([0xff, 0xda]))
  const interval = Buffer.from([0xff, 0xdd, 0, 4, 0, 1])
  const withInterval = Buffer.concat([bytes.subarray(0, scan), interval, bytes.subarray(scan)])
  expect(await signalsOf('a.jpg', withInterval)).toEqual([undefined])
})

describe('the pictures of a camera in MCAP', () => {
  const signalOf = async (pictures: readonly Buffer[]) =>
    (await signalsOf('a.mcap', await cameraMcapFile(pictures)))[0]
  const varying = ['image.jpg', 'image.png', 'monochrome.jpg'].map(picture)

  test('vary if they differ', async () => expect(await signalOf(varying)).toBe('varies'))

  test('count as black if more than half of them are black', async () => {
    const black = picture('black.jpg')
    expect(await signalOf([black, black, black, black, black])).toBe('black')
    expect(await signalOf([...varying, black, black, black, black])).toBe('black')
    expect(await signalOf([...varying, black, black])).toBe('varies')
  })

  test('are constant if the camera hangs and repeats one picture', async () => {
    const [first, second] = varying
    expect(await signalOf(Array(5).fill(first))).toBe('constant')
    expect(await signalOf([first!, first!, first!, second!])).toBe('varies')
    expect(await signalOf([first!])).toBe('varies')
  })

  test.each([
    ['zstd', zstd],
    ['lz4', lz4],
  ])('are found in chunks compressed with %s', async (_, compress) => {
    const bytes = await cameraMcapFile(Array(3).fill(picture('black.png')), compress)
    expect(await signalsOf('a.mcap', bytes)).toEqual(['black'])
  })

  test('are found in messages of Foxglove', async () => {
    const messages = Array.from({ length: 3 }, () =>
      Buffer.concat([Buffer.from('\x0a\x06camera\x12', 'latin1'), picture('black.jpg')]),
    )
    const bytes = await pictureMcapFile('foxglove.CompressedImage', messages)
    expect(await signalsOf('a.mcap', bytes)).toEqual(['black'])
  })

  test('are found if they are not compressed', async () => {
    const signalOfRaw = async (pixels: Buffer) => {
      const messages = Array.from({ length: 3 }, (_, second) => rawImage(pixels, 4, second))
      return (await signalsOf('a.mcap', await pictureMcapFile('sensor_msgs/msg/Image', messages)))[0]
    }
    expect(await signalOfRaw(Buffer.alloc(4 * 3 * 3, 5))).toBe('black')
    expect(await signalOfRaw(Buffer.alloc(4 * 3 * 3, 100))).toBe('constant')
    // The pixels differ, but the picture is the same in each message: the camera hangs.
    expect(await signalOfRaw(Buffer.from(Array.from({ length: 36 }, (_, n) => n * 7)))).toBe('constant')
    const moving = Array.from({ length: 3 }, (_, second) =>
      rawImage(Buffer.from(Array.from({ length: 36 }, (_, n) => n * 6 + second)), 4, second),
    )
    expect(await signalsOf('a.mcap', await pictureMcapFile('sensor_msgs/msg/Image', moving))).toEqual([
      'varies',
    ])
  })

  const withDamagedChunk = (damagedIndex: number, damage: (chunk: Uint8Array) => Compression) => {
    let index = 0
    return cameraMcapFile(Array(5).fill(picture('black.jpg')), (chunk) =>
      (index++ === damagedIndex ? damage : zstd)(chunk),
    )
  }
  const damaged = (): Compression => ({ compression: 'zstd', compressedData: new Uint8Array(50) })
  const unknown = (chunk: Uint8Array): Compression => ({ compression: 'zip', compressedData: chunk })

  test.each([
    ['is damaged', damaged],
    ['has an unknown compression', unknown],
  ])('are found if the first chunk %s', async (_, damage) => {
    expect(await signalsOf('a.mcap', await withDamagedChunk(0, damage))).toEqual(['black'])
  })

  test('in a damaged chunk cause no warning, even if time runs out during their search', async () => {
    const file = sourceOf({ name: 'a.mcap', bytes: await withDamagedChunk(4, damaged) })
    const warningsWithin = async (reads: number) => (await inspect(file, limitsByClockReads(reads))).warnings
    let reads = 0
    while ((await warningsWithin(reads)).length > 0) reads += 1
    for (let more = 0; more < 100; more += 1)
      expect(await warningsWithin(reads + more), `${more}`).toEqual([])
  })

  test('do not make a file incomplete if they are damaged', async () => {
    const messages = [0, 1, 2].map((second) => compressedImage(picture('black.jpg').subarray(0, 320), second))
    const bytes = await pictureMcapFile('sensor_msgs/msg/CompressedImage', messages)
    expect(await inspectBytes('a.mcap', bytes)).toMatchObject({ completeness: 'complete', warnings: [] })
    expect(await signalsOf('a.mcap', bytes)).toEqual([undefined])
  })
})
