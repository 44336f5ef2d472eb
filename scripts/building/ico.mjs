const HEADER_BYTES = 6
const ENTRY_BYTES = 16
const BITS_PER_PIXEL = 32

/**
 * Makes one Windows icon file that contains a PNG picture for each width.
 *
 * @param {readonly { width: number, png: Buffer }[]} pictures
 */
export const makeIco = (pictures) => {
  const header = Buffer.alloc(HEADER_BYTES + ENTRY_BYTES * pictures.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(pictures.length, 4)
  let offset = header.length
  pictures.forEach(({ width, png }, index) => {
    const at = HEADER_BYTES + ENTRY_BYTES * index
    // In this format, the byte 0 means 256.
    header.writeUInt8(width % 256, at)
    header.writeUInt8(width % 256, at + 1)
    header.writeUInt16LE(1, at + 4)
    header.writeUInt16LE(BITS_PER_PIXEL, at + 6)
    header.writeUInt32LE(png.length, at + 8)
    header.writeUInt32LE(offset, at + 12)
    offset += png.length
  })
  return Buffer.concat([header, ...pictures.map(({ png }) => png)])
}
