import { inflateSync } from 'node:zlib'
import type { PictureLook } from './picture-look.ts'
import { bytesPerPixel, type PixelLayout, PixelTally } from './pixel-look.ts'

/** With this limit, the pixels and the file together need less than 64 MB. */
const MAX_PIXEL_BYTES = 24 << 20
const MAX_CHUNKS = 100_000

/** By the colour type in the header. Without type 3, whose pixels are indexes into a palette. */
const layouts: Readonly<Record<number, Omit<PixelLayout, 'wide'>>> = {
  0: { colours: 1, hasAlpha: false },
  2: { colours: 3, hasAlpha: false },
  4: { colours: 1, hasAlpha: true },
  6: { colours: 3, hasAlpha: true },
}

/**
 * Null if the picture is damaged, too large or interlaced, or if it has a palette or fewer than 8 bits for each sample.
 * Never throws.
 */
export const pngLook = (bytes: Buffer): PictureLook | null => {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const [bits, colourType, interlace] = [bytes[24]!, bytes[25]!, bytes[28]!]
  const layout = layouts[colourType]
  if (layout === undefined || interlace !== 0 || (bits !== 8 && bits !== 16)) return null
  const pixel = { ...layout, wide: bits === 16 }
  const rowBytes = width * bytesPerPixel(pixel)
  const pixelBytes = height * (rowBytes + 1)
  if (pixelBytes === 0 || pixelBytes > MAX_PIXEL_BYTES) return null
  try {
    const rows = inflateSync(packedPixels(bytes), { maxOutputLength: pixelBytes })
    return rows.length === pixelBytes ? rowsLook(rows, rowBytes, pixel) : null
  } catch {
    return null
  }
}

const packedPixels = (bytes: Buffer): Buffer => {
  const pieces: Buffer[] = []
  for (let at = 8, chunks = 0; at + 12 <= bytes.length && chunks < MAX_CHUNKS; chunks += 1) {
    const length = bytes.readUInt32BE(at)
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      pieces.push(bytes.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

const rowsLook = (rows: Buffer, rowBytes: number, layout: PixelLayout): PictureLook | null => {
  const tally = new PixelTally(layout)
  let above: Uint8Array = new Uint8Array(rowBytes)
  for (let at = 0; at < rows.length; at += rowBytes + 1) {
    const row = rows.subarray(at + 1, at + 1 + rowBytes)
    unfilter(rows[at]!, row, above, bytesPerPixel(layout))
    tally.addRow(row)
    above = row
  }
  return tally.look
}

/** Restores a row in place: its bytes are differences from the bytes to the left and above (PNG, chapter 9). */
const unfilter = (filter: number, row: Uint8Array, above: Uint8Array, pixelBytes: number): void => {
  if (filter === 0) return
  for (let at = 0; at < row.length; at += 1) {
    const left = at >= pixelBytes ? row[at - pixelBytes]! : 0
    const up = above[at]!
    const upLeft = at >= pixelBytes ? above[at - pixelBytes]! : 0
    row[at] = row[at]! + predict(filter, left, up, upLeft)
  }
}

const predict = (filter: number, left: number, up: number, upLeft: number): number => {
  switch (filter) {
    case 1:
      return left
    case 2:
      return up
    case 3:
      return (left + up) >> 1
    case 4: {
      const [toLeft, toUp] = [Math.abs(up - upLeft), Math.abs(left - upLeft)]
      const toUpLeft = Math.abs(left + up - 2 * upLeft)
      if (toLeft <= toUp && toLeft <= toUpLeft) return left
      return toUp <= toUpLeft ? up : upLeft
    }
    default:
      return 0
  }
}
