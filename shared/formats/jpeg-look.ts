import { type HuffmanTable, huffmanTable, JpegBits } from './jpeg-bits.ts'
import { DARK_BELOW, isMostlyDark, MAX_CONSTANT_RANGE, type PictureLook } from './picture-look.ts'

/**
 * Checks a picture by the mean of each block of 8 × 8 pixels (its DC coefficient). For most pictures, the first blocks
 * are enough. Handles baseline JPEG, which cameras write, but not progressive JPEG.
 */

/** A picture of one colour has no detail, except in a few blocks with rounding errors. */
const MAX_DETAILED_SHARE = 0.01

type Component = {
  readonly id: number
  /** Blocks of this component in each group of blocks (MCU). */
  readonly blocks: number
  readonly quantTable: number
}
/** Replaces a table that a damaged picture lacks. */
const noCodes: HuffmanTable = new Uint16Array(1 << 16)

type Frame = { readonly components: readonly Component[]; readonly groups: number }
type ScanComponent = { readonly dcTable: number; readonly acTable: number }

type Tables = {
  readonly dcFactors: Map<number, number>
  readonly huffman: Map<number, HuffmanTable>
  restartInterval: number
  frame: Frame | null
}

const readDcFactors = (segment: Buffer, { dcFactors }: Tables): void => {
  for (let at = 0; at + 3 <= segment.length; ) {
    const isWide = segment[at]! >> 4 !== 0
    dcFactors.set(segment[at]! & 15, isWide ? segment.readUInt16BE(at + 1) : segment[at + 1]!)
    at += 1 + (isWide ? 128 : 64)
  }
}

const readHuffman = (segment: Buffer, { huffman }: Tables): void => {
  for (let at = 0; at + 17 <= segment.length; ) {
    const counts = segment.subarray(at + 1, at + 17)
    const symbolCount = counts.reduce((sum, count) => sum + count, 0)
    huffman.set(segment[at]!, huffmanTable(counts, segment.subarray(at + 17, at + 17 + symbolCount)))
    at += 17 + symbolCount
  }
}

const readFrame = (segment: Buffer): Frame | null => {
  const count = segment[5] ?? 0
  if (segment.length < 6 + 3 * count || count === 0 || segment[0] !== 8) return null
  const [height, width] = [segment.readUInt16BE(1), segment.readUInt16BE(3)]
  const parts = Array.from({ length: count }, (_, index) => {
    const at = 6 + 3 * index
    const factors = segment[at + 1]!
    return { id: segment[at]!, wide: factors >> 4, high: factors & 15, quantTable: segment[at + 2]! }
  })
  if (parts.some(({ wide, high }) => wide < 1 || wide > 4 || high < 1 || high > 4)) return null
  // A picture with one component has one block in each group, whatever its factors say.
  const [groupWide, groupHigh] =
    count === 1
      ? [1, 1]
      : [Math.max(...parts.map(({ wide }) => wide)), Math.max(...parts.map(({ high }) => high))]
  return {
    components: parts.map(({ id, wide, high, quantTable }) => ({
      id,
      blocks: count === 1 ? 1 : wide * high,
      quantTable,
    })),
    groups: Math.ceil(width / (8 * groupWide)) * Math.ceil(height / (8 * groupHigh)),
  }
}

/** Null if the scan does not hold all components in the order of the frame. */
const readScan = (segment: Buffer, { components }: Frame): readonly ScanComponent[] | null => {
  if (segment[0] !== components.length || segment.length < 1 + 2 * components.length) return null
  const scan = components.map(({ id }, index) => {
    const tables = segment[2 + 2 * index]!
    return segment[1 + 2 * index] === id ? { dcTable: tables >> 4, acTable: 0x10 | (tables & 15) } : null
  })
  return scan.every((each) => each !== null) ? scan : null
}

/** Null if the picture is damaged or not a baseline JPEG. Never throws. */
export const jpegLook = (bytes: Buffer): PictureLook | null => {
  const tables: Tables = { dcFactors: new Map(), huffman: new Map(), restartInterval: 0, frame: null }
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1]!
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const segment = bytes.subarray(at + 4, end)
    if (marker === 0xdb) readDcFactors(segment, tables)
    else if (marker === 0xc4) readHuffman(segment, tables)
    else if (marker === 0xdd && segment.length >= 2) tables.restartInterval = segment.readUInt16BE(0)
    else if (marker === 0xc0 || marker === 0xc1) tables.frame = readFrame(segment)
    else if (marker === 0xda) return scanLook(bytes, end, segment, tables)
    at = end
  }
  return null
}

const scanLook = (bytes: Buffer, start: number, segment: Buffer, tables: Tables): PictureLook | null => {
  const { frame } = tables
  const scan = frame === null ? null : readScan(segment, frame)
  if (frame === null || scan === null) return null
  const components = frame.components.map(({ blocks, quantTable }, index) => ({
    blocks,
    factor: tables.dcFactors.get(quantTable) ?? 0,
    dc: tables.huffman.get(scan[index]!.dcTable) ?? noCodes,
    ac: tables.huffman.get(scan[index]!.acTable) ?? noCodes,
    previous: 0,
    lowest: Number.POSITIVE_INFINITY,
    highest: Number.NEGATIVE_INFINITY,
  }))
  const allBlocks = frame.groups * components.reduce((sum, { blocks }) => sum + blocks, 0)
  const lumaBlocks = frame.groups * components[0]!.blocks
  const bits = new JpegBits(bytes, start)
  let [brightBlocks, detailedBlocks, largestRange] = [0, 0, 0]
  const mayBeBlack = () => isMostlyDark(lumaBlocks - brightBlocks, lumaBlocks)
  const mayBeConstant = () =>
    largestRange <= MAX_CONSTANT_RANGE && detailedBlocks <= allBlocks * MAX_DETAILED_SHARE
  for (let group = 0; group < frame.groups; group += 1) {
    if (tables.restartInterval > 0 && group > 0 && group % tables.restartInterval === 0) {
      if (!bits.restart()) return null
      for (const component of components) component.previous = 0
    }
    for (const [index, component] of components.entries())
      for (let block = 0; block < component.blocks; block += 1) {
        component.previous += bits.readDifference(component.dc)
        if (bits.skipDetails(component.ac)) detailedBlocks += 1
        if (bits.isExhausted) return null
        const mean = (component.previous * component.factor) / 8 + 128
        component.lowest = Math.min(component.lowest, mean)
        component.highest = Math.max(component.highest, mean)
        largestRange = Math.max(largestRange, component.highest - component.lowest)
        if (index === 0 && mean >= DARK_BELOW) brightBlocks += 1
      }
    if (!mayBeBlack() && !mayBeConstant()) return 'varies'
  }
  return mayBeBlack() ? 'black' : 'constant'
}
