import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { McapRecordBuilder } from '@mcap/core'
import { compressedImage } from './camera-mcap.ts'

type SparseMcapOptions = {
  readonly chunks: number
  readonly chunkBytes: number
  readonly channels: number
  readonly messages: number
  /**
   * If set, the first channel is a camera, and each chunk starts with this picture. The rest of the chunk is a hole.
   */
  readonly picture?: Buffer
}

/** Writes an MCAP file with real headers, indexes and summary. Its chunks are holes, apart from the pictures. */
export function writeSparseMcap(
  file: string,
  { chunks, chunkBytes, channels, messages, picture }: SparseMcapOptions,
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
    const chunkAt = at + writeSync(fd, head, 0, head.length, at)
    if (picture !== undefined) writePicture(fd, chunkAt, chunkBytes, compressedImage(picture, chunk))
    at = chunkAt + chunkBytes
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
  const schema = { id: 1, name: 'sensor_msgs/msg/CompressedImage', encoding: 'ros2msg' }
  if (picture !== undefined) append((builder) => builder.writeSchema({ ...schema, data: new Uint8Array() }))
  for (let id = 0; id < channels; id += 1) {
    const isCamera = picture !== undefined && id === 0
    append((builder) =>
      builder.writeChannel({
        id,
        topic: `/topic/${id}`,
        schemaId: isCamera ? schema.id : 0,
        messageEncoding: isCamera ? 'cdr' : 'json',
        metadata: new Map(),
      }),
    )
  }
  append((builder) =>
    builder.writeStatistics({
      messageCount: BigInt(chunks * channels * messages),
      schemaCount: picture === undefined ? 0 : 1,
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

/** Writes one message of the first channel. The message is as long as the whole chunk, and begins with the picture. */
function writePicture(fd: number, at: number, chunkBytes: number, data: Buffer): void {
  const head = Buffer.alloc(9 + 22)
  head[0] = 5
  head.writeBigUInt64LE(BigInt(chunkBytes - 9), 1)
  writeSync(fd, Buffer.concat([head, data]), 0, head.length + data.length, at)
}
