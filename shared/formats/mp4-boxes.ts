import { type BoundedReader, DamagedError, EndOfFileError } from './bounded-reader.ts'

/** A recorder may reserve gigabytes of zeros, so Sluice checks only this many at the start and at the end. */
const checkedTailBytes = 64 << 10

export type Box = { readonly type: string; readonly bodyAt: number; readonly end: number }

/** Boxes of one level (ISO/IEC 14496-12). A box of size 0 ends with its parent, and `isEndKnown` is false. */
export async function* walkBoxes(
  reader: BoundedReader,
  from: number,
  to: number,
): AsyncGenerator<Box & { readonly isEndKnown: boolean }> {
  // Zeros after the last box of the file are padding. Inside a box, eight or more zeros mean lost content.
  const isFile = from === 0 && to === reader.size
  for (let at = from; at < to; ) {
    // Old QuickTime files end a list of boxes with four zero bytes.
    if (!isFile && to - at < 8) return
    if (isFile && (await isZeroTail(reader, at))) return
    const head = await reader.readExactly(at, 8)
    const type = head.toString('latin1', 4, 8)
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) throw new DamagedError('The file holds an invalid box.')
    let size = head.readUInt32BE(0)
    let headBytes = 8
    if (size === 1) {
      const long = (await reader.readExactly(at + 8, 8)).readBigUInt64BE(0)
      if (long > BigInt(Number.MAX_SAFE_INTEGER / 2)) throw new DamagedError(`The box ${type} is too large.`)
      size = Number(long)
      headBytes = 16
    }
    const isEndKnown = size !== 0
    if (isEndKnown && size < headBytes) throw new DamagedError(`The box ${type} is too short.`)
    const end = isEndKnown ? at + size : to
    if (end > to) {
      if (to === reader.size) throw new EndOfFileError(`The file ends inside the box ${type}.`)
      throw new DamagedError(`The box ${type} is longer than the box around it.`)
    }
    yield { type, bodyAt: at + headBytes, end, isEndKnown }
    at = end
  }
}

/** Some recorders and copy programs pad a file with zeros after its last box. */
async function isZeroTail(reader: BoundedReader, at: number): Promise<boolean> {
  const isZero = (bytes: Buffer) => bytes.every((byte) => byte === 0)
  if (!isZero(await reader.readUpTo(at, 8))) return false
  const lastAt = Math.max(at, reader.size - checkedTailBytes)
  return (
    isZero(await reader.readUpTo(at, checkedTailBytes)) &&
    isZero(await reader.readExactly(lastAt, reader.size - lastAt))
  )
}
