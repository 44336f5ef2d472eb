import { McapWriter } from '@mcap/core'
import type { Compression } from '../../contract/sample-files.ts'

type Schema = 'sensor_msgs/msg/CompressedImage' | 'foxglove.CompressedImage' | 'sensor_msgs/msg/Image'

const text = (value: string): Buffer => {
  const bytes = Buffer.from(`${value}\0`)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
/** The start of every ROS 2 image message: the CDR header, the time and the name of the camera. */
const head = (second: number): Buffer =>
  Buffer.concat([Buffer.from([0, 1, 0, 0]), number(second), number(0), text('camera')])

export const compressedImage = (picture: Buffer, second: number): Buffer =>
  Buffer.concat([head(second), text('jpeg'), number(picture.length), picture])

/** A `sensor_msgs/msg/Image` message with three bytes per pixel. */
export const rawImage = (pixels: Buffer, width: number, second: number): Buffer =>
  Buffer.concat([
    head(second),
    number(pixels.length / (3 * width)),
    number(width),
    // `text` pads the name with three zeros. The first is the field `is_bigendian`, the others align the next number.
    text('rgb8'),
    number(3 * width),
    number(pixels.length),
    pixels,
  ])

/** Writes one channel with a message per second. Each message is a chunk of its own. */
export const pictureMcapFile = async (
  schema: Schema,
  messages: readonly Buffer[],
  compress?: (chunk: Uint8Array) => Compression,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let size = 0n
  const writer = new McapWriter({
    writable: {
      position: () => size,
      async write(chunk) {
        chunks.push(Uint8Array.from(chunk))
        size += BigInt(chunk.byteLength)
      },
    },
    chunkSize: 1,
    ...(compress === undefined ? {} : { compressChunk: compress }),
  })
  await writer.start({ profile: '', library: 'test' })
  const schemaId = await writer.registerSchema({ name: schema, encoding: 'ros2msg', data: new Uint8Array() })
  const messageEncoding = schema.startsWith('foxglove') ? 'protobuf' : 'cdr'
  const topic = '/camera/wrist'
  const channelId = await writer.registerChannel({ topic, schemaId, messageEncoding, metadata: new Map() })
  for (const [second, data] of messages.entries()) {
    const logTime = BigInt(1_700_000_000 + second) * 1_000_000_000n
    await writer.addMessage({ channelId, sequence: second, logTime, publishTime: logTime, data })
  }
  await writer.end()
  return Buffer.concat(chunks)
}

/** The file of a ROS 2 camera that sends the pictures in order, one per second. */
export const cameraMcapFile = (
  pictures: readonly Buffer[],
  compress?: (chunk: Uint8Array) => Compression,
): Promise<Buffer> =>
  pictureMcapFile('sensor_msgs/msg/CompressedImage', pictures.map(compressedImage), compress)
