import { crc32, deflateRawSync } from 'node:zlib'

const LOCAL_HEADER = 0x0403_4b50
const CENTRAL_HEADER = 0x0201_4b50
const END = 0x0605_4b50
const VERSION_NEEDED = 20
const DEFLATE = 8
/** 1 January 1980. The date is fixed, so that builds are reproducible. */
const DATE = 0x0021

/**
 * Makes a .zip that contains one file. Node cannot write this format.
 *
 * @param {string} name in ASCII
 * @param {Buffer} content
 * @returns {Buffer}
 */
export const zipOf = (name, content) => {
  const nameBytes = Buffer.from(name, 'ascii')
  const packed = deflateRawSync(content, { level: 9 })
  // The local and the central header share these fields.
  const fields = Buffer.concat([
    numbers(2, VERSION_NEEDED, 0, DEFLATE, 0, DATE),
    numbers(4, crc32(content), packed.length, content.length),
    numbers(2, nameBytes.length, 0),
  ])
  const local = Buffer.concat([numbers(4, LOCAL_HEADER), fields, nameBytes, packed])
  const central = Buffer.concat([
    numbers(4, CENTRAL_HEADER),
    numbers(2, VERSION_NEEDED),
    fields,
    // Comment, disk and attributes; then the position of the local header.
    numbers(2, 0, 0, 0),
    numbers(4, 0, 0),
    nameBytes,
  ])
  const end = Buffer.concat([
    numbers(4, END),
    numbers(2, 0, 0, 1, 1),
    numbers(4, central.length, local.length),
    numbers(2, 0),
  ])
  return Buffer.concat([local, central, end])
}

/** Little-endian. @param {number} bytes @param {readonly number[]} values */
const numbers = (bytes, ...values) => {
  const buffer = Buffer.alloc(bytes * values.length)
  for (const [index, value] of values.entries()) buffer.writeUIntLE(value, index * bytes, bytes)
  return buffer
}
