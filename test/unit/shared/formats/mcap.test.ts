import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { lz4, zstd } from '../../../contract/compressions.ts'
import { mcapFile } from '../../../contract/sample-files.ts'
import { limitsByClockReads, sourceOf } from '../../../support/formats/recorded-files.ts'
import { writeSparseMcap } from '../../../support/formats/sparse-mcap.ts'

const inspectBytes = (bytes: Buffer) => inspect(sourceOf({ name: 'run.mcap', bytes }), limitsByClockReads())
const tenSeconds = {
  format: 'mcap',
  completeness: 'complete',
  startedAtMs: 1_700_000_000_000,
  endedAtMs: 1_700_000_010_000,
  durationS: 10,
  warnings: [],
}
const elevenMessages = { messages: 11, rateHz: 1, largestGapS: 1 }

test('the summary and a scan give the same channels, counts, rates and gaps', async () => {
  for (const layout of ['indexed', 'bare', 'chunks', 'partial'] as const)
    for (const compress of layout === 'bare' ? [undefined] : [undefined, zstd, lz4]) {
      const inspection = await inspectBytes(await mcapFile({ layout, ...(compress && { compress }) }))
      expect(inspection, layout).toMatchObject(tenSeconds)
      expect(inspection.channels, layout).toMatchObject([
        { name: '/imu/Data', ...elevenMessages },
        { name: '/camera_front/image', ...elevenMessages },
      ])
    }
})

test('a file that its recorder abandoned is reported as cut off, with its content so far', async () => {
  const completeFile = await mcapFile({ layout: 'bare' })
  const inspection = await inspectBytes(completeFile.subarray(0, completeFile.length * 0.75))
  expect(inspection).toMatchObject({ completeness: 'cut-off', startedAtMs: 1_700_000_000_000 })
  expect(inspection.channels[0]).toMatchObject({ name: '/imu/Data', messages: 11 })
  expect(inspection.channels[1]!.messages).toBeLessThan(11)
})

test('a file with a damaged summary is not complete', async () => {
  const bytes = await mcapFile()
  const topic = bytes.lastIndexOf('/imu/Data')
  bytes[topic + 1] = 0x49
  expect(await inspectBytes(bytes)).toMatchObject({
    completeness: 'unknown',
    warnings: [{ code: 'damaged' }],
  })
})

test('a small chunk that unpacks to much more than its declared size counts as damage', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(64 << 20))
  const compress = () => ({ compression: 'zstd', compressedData: bomb })
  const inspection = await inspectBytes(await mcapFile({ layout: 'chunks', compress }))
  expect(inspection.warnings).toMatchObject([{ code: 'damaged' }])
})

test.each([
  ['zstd', zstd],
  ['lz4', lz4],
])('a cut-off file still shows its content before a damaged %s chunk', async (_, compress) => {
  let chunks = 0
  // A power cut leaves zeros in place of the last blocks.
  const zeroAfterFirst = (data: Uint8Array) => {
    const chunk = compress(data)
    chunks += 1
    return chunks === 1
      ? chunk
      : { ...chunk, compressedData: new Uint8Array(chunk.compressedData.byteLength) }
  }
  const bytes = await mcapFile({ layout: 'chunks', compress: zeroAfterFirst, seconds: 30_000 })
  expect((await inspectBytes(bytes)).warnings).toEqual([
    { code: 'damaged', detail: 'A chunk cannot be unpacked.' },
  ])
  const cutOff = await inspectBytes(bytes.subarray(0, -8))
  expect(cutOff).toMatchObject({
    completeness: 'cut-off',
    startedAtMs: 1_700_000_000_000,
    channels: [{ name: '/imu/Data', type: 'json' }, {}],
    warnings: [],
  })
  expect(cutOff.durationS).toBeGreaterThan(1_000)
})

const picture = readFileSync(new URL('files/dark-noise.jpg', import.meta.url))

test.each([
  { content: 'without pictures', limitMb: 4, options: {} },
  { content: 'with a camera, whose pictures it samples,', limitMb: 32, options: { picture } },
])(
  'the inspection of an indexed file of 10 GB $content reads less than $limitMb MB',
  async ({ limitMb, options }) => {
    const file = path.join(tmpdir(), `sluice-sparse-${process.pid}.mcap`)
    const sparseFile = writeSparseMcap(file, {
      chunks: 640,
      chunkBytes: 16 << 20,
      channels: 20,
      messages: 10,
      ...options,
    })
    const fd = openSync(file, 'r')
    try {
      expect(sparseFile.fileBytes).toBeGreaterThan(10 * 2 ** 30)
      let bytesRead = 0
      const read = async (offset: number, length: number) => {
        bytesRead += length
        const buffer = Buffer.alloc(length)
        return buffer.subarray(0, readSync(fd, buffer, 0, length, offset))
      }
      const inspection = await inspect(
        { name: 'large.mcap', size: sparseFile.fileBytes, read },
        limitsByClockReads(100_000),
      )
      expect(inspection).toMatchObject({ completeness: 'complete', warnings: [], durationS: 639.9 })
      expect(inspection.channels).toHaveLength(20)
      expect(inspection.channels[0]).toMatchObject({ messages: 6_400, rateHz: 10 })
      expect(bytesRead).toBeLessThan(limitMb << 20)
    } finally {
      closeSync(fd)
      rmSync(file)
    }
  },
)
