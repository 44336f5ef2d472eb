import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { McapRecordBuilder } from '@mcap/core'
import { expect, test } from 'vitest'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { lz4, zstd } from '../../../contract/compressions.ts'
import { mcapFile } from '../../../contract/sample-files.ts'
import { limitsByClockReads, sourceOf } from '../../../support/formats/recorded-files.ts'

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

test('the inspection of an indexed file of 10 GB reads less than 4 MB', async () => {
  const file = path.join(tmpdir(), `sluice-sparse-${process.pid}.mcap`)
  const sparseFile = writeSparseMcap(file, { chunks: 640, chunkBytes: 16 << 20, channels: 20, messages: 10 })
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
    expect(bytesRead).toBeLessThan(4 << 20)
  } finally {
    closeSync(fd)
    rmSync(file)
  }
})

type SparseMcapOptions = {
  readonly chunks: number
  readonly chunkBytes: number
  readonly channels: number
  readonly messages: number
}

/** Writes an MCAP file whose chunks are holes. Its headers, indexes and summary are real. */
function writeSparseMcap(
  file: string,
  { chunks, chunkBytes, channels, messages }: SparseMcapOptions,
): { fileBytes: number } {
  const fd = openSync(file, 'w')
  let at = 0
  const append = (build: (builder: McapRecordBuilder) => void) => {
    const builder = new McapRecordBuilder()
    build(builder)
    at += writeSync(fd, builder.buffer, 0, builder.length, at)
  }
  const startNs = 1_700_000_000_000_000_000n
  const timeNs = (chunk: number, message: number) =>
    startNs + BigInt(chunk * messages + message) * 100_000_000n
  append((builder) => builder.writeMagic())
  append((builder) => builder.writeHeader({ profile: '', library: 'test' }))
  const indexes = Array.from({ length: chunks }, (_, chunk) => {
    const chunkStartOffset = BigInt(at)
    const head = Buffer.alloc(9 + 40)
    head[0] = 6
    head.writeBigUInt64LE(BigInt(40 + chunkBytes), 1)
    head.writeBigUInt64LE(timeNs(chunk, 0), 9)
    head.writeBigUInt64LE(timeNs(chunk, messages - 1), 17)
    head.writeBigUInt64LE(BigInt(chunkBytes), 25)
    head.writeBigUInt64LE(BigInt(chunkBytes), 41)
    at += writeSync(fd, head, 0, head.length, at) + chunkBytes
    const indexStart = at
    const messageIndexOffsets = new Map<number, bigint>()
    for (let channelId = 0; channelId < channels; channelId += 1) {
      messageIndexOffsets.set(channelId, BigInt(at))
      const records = Array.from({ length: messages }, (_, n) => [timeNs(chunk, n), 0n] as [bigint, bigint])
      append((builder) => builder.writeMessageIndex({ channelId, records }))
    }
    return {
      messageStartTime: timeNs(chunk, 0),
      messageEndTime: timeNs(chunk, messages - 1),
      chunkStartOffset,
      chunkLength: BigInt(head.length + chunkBytes),
      messageIndexOffsets,
      messageIndexLength: BigInt(at - indexStart),
      compression: '',
      compressedSize: BigInt(chunkBytes),
      uncompressedSize: BigInt(chunkBytes),
    }
  })
  append((builder) => builder.writeDataEnd({ dataSectionCrc: 0 }))
  const summaryStart = BigInt(at)
  for (let id = 0; id < channels; id += 1)
    append((builder) =>
      builder.writeChannel({
        id,
        topic: `/topic/${id}`,
        schemaId: 0,
        messageEncoding: 'json',
        metadata: new Map(),
      }),
    )
  append((builder) =>
    builder.writeStatistics({
      messageCount: BigInt(chunks * channels * messages),
      schemaCount: 0,
      channelCount: channels,
      attachmentCount: 0,
      metadataCount: 0,
      chunkCount: chunks,
      messageStartTime: timeNs(0, 0),
      messageEndTime: timeNs(chunks - 1, messages - 1),
      channelMessageCounts: new Map(
        Array.from({ length: channels }, (_, id) => [id, BigInt(chunks * messages)] as [number, bigint]),
      ),
    }),
  )
  for (const index of indexes) append((builder) => builder.writeChunkIndex(index))
  append((builder) => builder.writeFooter({ summaryStart, summaryOffsetStart: 0n, summaryCrc: 0 }))
  append((builder) => builder.writeMagic())
  ftruncateSync(fd, at)
  closeSync(fd)
  return { fileBytes: at }
}
