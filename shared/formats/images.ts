import type { Completeness } from '../status/inspection.ts'
import { type BoundedReader, DamagedError, EndOfFileError, MAX_READ_BYTES } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { jpegLook } from './jpeg-look.ts'
import type { PictureLook } from './picture-look.ts'
import { pngLook } from './png-look.ts'

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const pngEnd = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
const maxSegments = 1_000

const addImage = (findings: Findings, kind: string, width: number, height: number): void => {
  findings.channel('image', 'image', `${kind} ${width} × ${height}`).messages = 1
}

/** Checks the pixels of a picture that fits one read. If the end is missing, there is no need to check more. */
async function checkPicture(
  reader: BoundedReader,
  findings: Findings,
  lookOf: (bytes: Buffer) => PictureLook | null,
): Promise<void> {
  if (findings.completeness !== 'complete' || reader.size > MAX_READ_BYTES) return
  findings.channel('image').signal = lookOf(await reader.readExactly(0, reader.size)) ?? undefined
}

/** Some recorders write the whole buffer of a camera, which is several times as large as the image. */
const maxPaddingBytes = 4 << 20
const tailBytes = 4096
/** Large, because the service also runs this code, and each read from S3 takes milliseconds. */
const paddingBlockBytes = 256 << 10

/** The last bytes of the file before its padding of zeros. Null if there is more padding than Sluice reads. */
async function readTail(reader: BoundedReader): Promise<Buffer | null> {
  const endAt = (end: number, bytes: number) =>
    reader.readExactly(Math.max(0, end - bytes), Math.min(end, bytes))
  // Most images have no padding, so the first block is short.
  let blockBytes = tailBytes
  for (let end = reader.size; end > Math.max(0, reader.size - maxPaddingBytes); ) {
    const block = await endAt(end, blockBytes)
    const lastByte = block.findLastIndex((byte) => byte !== 0)
    if (lastByte !== -1) return endAt(end - block.length + lastByte + 1, tailBytes)
    end -= block.length
    blockBytes = paddingBlockBytes
  }
  return null
}

const completenessOf = (end: EndMark): Completeness =>
  end === 'marked' ? 'complete' : end === 'cut-off' ? 'cut-off' : 'unknown'

async function findPngEnd(reader: BoundedReader): Promise<EndMark> {
  if (reader.size < pngSignature.length + pngEnd.length) return 'cut-off'
  const tail = await readTail(reader)
  if (tail === null) return 'unmarked'
  return tail.subarray(-pngEnd.length).equals(pngEnd) ? 'marked' : 'cut-off'
}

export const png: Format = {
  name: 'png',
  matches: (head) => head.subarray(0, pngSignature.length).equals(pngSignature),
  findEnd: findPngEnd,
  inspect: async (reader, findings) => {
    const header = await reader.readExactly(8, 16)
    if (header.toString('latin1', 4, 8) !== 'IHDR') throw new DamagedError('The image has no header.')
    addImage(findings, 'png', header.readUInt32BE(8), header.readUInt32BE(12))
    findings.completeness = completenessOf(await findPngEnd(reader))
    await checkPicture(reader, findings, pngLook)
  },
}

/** Reads the size of the image. Throws if no pixels follow. */
async function readJpegHead(reader: BoundedReader): Promise<{ width: number; height: number }> {
  let size: { width: number; height: number } | null = null
  for (let at = 2, segments = 0; segments < maxSegments; segments += 1) {
    const head = await reader.readExactly(at, 4)
    const marker = head[1]!
    if (head[0] !== 0xff) throw new DamagedError('The image holds an invalid segment.')
    const length = head.readUInt16BE(2)
    if (length < 2) throw new DamagedError('The image holds an invalid segment.')
    // The frame headers SOF0 to SOF15. The excluded markers in this range are not frame headers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const frame = await reader.readExactly(at + 4, 5)
      size = { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) }
    }
    if (marker === 0xda) {
      if (size === null) throw new DamagedError('The image has no size.')
      if (at + 2 + length >= reader.size) throw new EndOfFileError('The image has no pixels.')
      return size
    }
    at += 2 + length
  }
  throw new DamagedError('The image has too many segments.')
}

/** Some cameras append a preview or zeros, so an end mark anywhere in the last bytes is enough. */
async function findJpegEnd(reader: BoundedReader): Promise<EndMark> {
  try {
    await readJpegHead(reader)
  } catch (error) {
    if (error instanceof EndOfFileError) return 'cut-off'
    if (error instanceof DamagedError) return 'unmarked'
    throw error
  }
  const tail = await readTail(reader)
  if (tail === null) return 'unmarked'
  if (tail.at(-2) === 0xff && tail.at(-1) === 0xd9) return 'marked'
  return tail.includes(Buffer.from([0xff, 0xd9])) ? 'unmarked' : 'cut-off'
}

export const jpeg: Format = {
  name: 'jpeg',
  matches: (head) => head.length >= 3 && head.readUIntBE(0, 3) === 0xffd8ff,
  findEnd: findJpegEnd,
  inspect: async (reader, findings) => {
    const { width, height } = await readJpegHead(reader)
    addImage(findings, 'jpeg', width, height)
    findings.completeness = completenessOf(await findJpegEnd(reader))
    await checkPicture(reader, findings, jpegLook)
  },
}
