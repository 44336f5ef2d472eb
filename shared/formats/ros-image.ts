import type { PictureLook } from './picture-look.ts'
import { bytesPerPixel, type PixelLayout, PixelTally } from './pixel-look.ts'

/** Checking this many rows of a picture, and this many pixels of each row, is enough. */
const MAX_ROWS = 100
const MAX_ROW_PIXELS = 400

/** Longer than the name of any known encoding. */
const MAX_NAME_BYTES = 64

const grey = { colours: 1, hasAlpha: false, wide: false }
const colour = { colours: 3, hasAlpha: false, wide: false }
const withAlpha = { colours: 3, hasAlpha: true, wide: false }
const distance = { colours: 1, hasAlpha: false, wide: true }
/** Sluice does not check other encodings. In YUV, for example, black is not zero. */
const layouts: Readonly<Record<string, PixelLayout>> = {
  mono8: grey,
  '8UC1': grey,
  rgb8: colour,
  bgr8: colour,
  '8UC3': colour,
  rgba8: withAlpha,
  bgra8: withAlpha,
  mono16: distance,
  '16UC1': distance,
}

/**
 * Reads the fields of `sensor_msgs/Image`. CDR, the encoding of ROS 2, aligns each number to its size and ends each
 * text with a zero byte.
 */
class MessageFields {
  readonly #bytes: Buffer
  readonly #isCdr: boolean
  #at: number

  constructor(bytes: Buffer, isCdr: boolean) {
    this.#bytes = bytes
    this.#isCdr = isCdr
    // Skips the header of a CDR message, or the sequence number of a ROS 1 message.
    this.#at = 4
  }

  number(): number {
    if (this.#isCdr) this.#at += (4 - (this.#at % 4)) % 4
    this.#at += 4
    return this.#bytes.readUInt32LE(this.#at - 4)
  }

  byte(): void {
    this.#at += 1
  }

  bytes(): Buffer {
    const length = this.number()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  text(): string {
    return this.bytes().subarray(0, MAX_NAME_BYTES).toString('latin1').replace(/\0$/, '')
  }
}

/**
 * The look of an uncompressed picture of ROS 1 or ROS 2. Null if the message is damaged, or if Sluice does not check
 * its encoding.
 */
export const rosImageLook = (message: Buffer, isCdr: boolean): PictureLook | null => {
  try {
    // A ROS 2 message may be big-endian, but no common computer writes such a message.
    if (isCdr && message[1] !== 1) return null
    const fields = new MessageFields(message, isCdr)
    // Skips the time and the frame ID.
    fields.number()
    fields.number()
    fields.text()
    const [height, width] = [fields.number(), fields.number()]
    const layout = layouts[fields.text()]
    // Skips the byte order of the pixels.
    fields.byte()
    const rowBytes = fields.number()
    const pixels = fields.bytes()
    if (layout === undefined || rowBytes === 0 || pixels.length !== height * rowBytes) return null
    const usedBytes = Math.min(rowBytes, width * bytesPerPixel(layout))
    const tally = new PixelTally(layout)
    const rowStep = Math.ceil(height / MAX_ROWS)
    for (let row = 0; row < height; row += rowStep)
      tally.addRow(
        pixels.subarray(row * rowBytes, row * rowBytes + usedBytes),
        Math.ceil(width / MAX_ROW_PIXELS),
      )
    return tally.look
  } catch (error) {
    // The message is shorter than its fields.
    if (error instanceof RangeError) return null
    throw error
  }
}
