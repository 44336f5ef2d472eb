import { type BoundedReader, DamagedError, EndOfFileError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { addAudio } from './wav.ts'

/** https://www.rfc-editor.org/rfc/rfc9639 */
type StreamInfo = {
  readonly rateHz: number
  readonly channels: number
  readonly bits: number
  /** The number of samples. Zero if the encoder did not know it. */
  readonly samples: number
  readonly largestBlock: number
}

const headerBytes = 4 + 4 + 34
/** Sluice searches this many bytes at the end for the last frame. Almost every frame fits. */
const tailBytes = 1 << 20
/** In a real file, the first candidate is the last frame. A forged file may have many candidates. */
const maxCandidates = 8
/** Some taggers append an ID3v1 tag: "TAG" and 125 more bytes. */
const tagBytes = 128

async function readInfo(reader: BoundedReader): Promise<StreamInfo> {
  const head = await reader.readExactly(0, headerBytes)
  if ((head[4]! & 0x7f) !== 0 || head.readUIntBE(5, 3) !== 34)
    throw new DamagedError('The file lacks its stream information.')
  const info = head.subarray(8)
  const packed = info.readBigUInt64BE(10)
  const rateHz = Number(packed >> 44n)
  if (rateHz === 0) throw new DamagedError('The file lacks its sample rate.')
  return {
    rateHz,
    channels: Number((packed >> 41n) & 7n) + 1,
    bits: Number((packed >> 36n) & 31n) + 1,
    samples: Number(packed & 0xf_ffff_ffffn),
    largestBlock: info.readUInt16BE(2),
  }
}

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  try {
    const info = await readInfo(reader)
    if (info.samples === 0) return 'unmarked'
    return (await endsWithLastFrame(reader, info)) ? 'marked' : 'cut-off'
  } catch (error) {
    if (error instanceof EndOfFileError) return 'cut-off'
    if (error instanceof DamagedError) return 'unmarked'
    throw error
  }
}

/** True if the last frame holds the last sample and has a valid checksum. An ID3v1 tag may follow that frame. */
async function endsWithLastFrame(reader: BoundedReader, info: StreamInfo): Promise<boolean> {
  const start = Math.max(headerBytes, reader.size - tailBytes)
  const tail = await reader.readUpTo(start, reader.size - start)
  const hasTag = tail.toString('latin1', tail.length - tagBytes, tail.length - tagBytes + 3) === 'TAG'
  let candidates = 0
  for (let at = tail.length - 2; at >= 0 && candidates < maxCandidates; at -= 1) {
    if (tail[at] !== 0xff || (tail[at + 1]! & 0xfe) !== 0xf8) continue
    const frame = readFrameHead(tail.subarray(at), info)
    if (frame === null || frame.firstSample + frame.samples !== info.samples) continue
    candidates += 1
    if (crc16(tail.subarray(at)) === 0) return true
    if (hasTag && at < tail.length - tagBytes && crc16(tail.subarray(at, -tagBytes)) === 0) return true
  }
  return false
}

type Frame = { readonly firstSample: number; readonly samples: number }

/** Null if this is not a frame. The checksum of the frame header decides. */
function readFrameHead(bytes: Buffer, info: StreamInfo): Frame | null {
  if (bytes.length < 6) return null
  const number = readCodedNumber(bytes, 4)
  if (number === null) return null
  const sizeCode = bytes[2]! >> 4
  const rateCode = bytes[2]! & 0x0f
  let at = 4 + number.bytes
  let samples = fixedBlockSamples(sizeCode)
  const extraBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0
  if (bytes.length < at + extraBytes + 3) return null
  if (extraBytes > 0) samples = bytes.readUIntBE(at, extraBytes) + 1
  at += extraBytes + (rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0)
  if (bytes.length <= at || crc8(bytes.subarray(0, at)) !== bytes[at]) return null
  const isVariable = (bytes[1]! & 1) === 1
  return { firstSample: isVariable ? number.value : number.value * info.largestBlock, samples }
}

const fixedBlockSamples = (code: number): number =>
  code === 1 ? 192 : code >= 2 && code <= 5 ? 576 << (code - 2) : code >= 8 ? 256 << (code - 8) : 0

/** The number is encoded like a character in UTF-8, with up to seven bytes. */
function readCodedNumber(bytes: Buffer, at: number): { value: number; bytes: number } | null {
  const first = bytes[at]!
  if (first < 0x80) return { value: first, bytes: 1 }
  const length = Math.clz32(~first << 24)
  if (length < 2 || length > 7 || bytes.length < at + length) return null
  let value = first & (0x7f >> length)
  for (let i = 1; i < length; i += 1) {
    const next = bytes[at + i]!
    if (next >> 6 !== 2) return null
    value = value * 64 + (next & 0x3f)
  }
  return { value, bytes: length }
}

function crc8(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : (crc << 1) & 0xff
  }
  return crc
}

const crc16Table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x8005 : crc << 1
  return crc
})

function crc16(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) crc = ((crc << 8) ^ crc16Table[(crc >> 8) ^ byte]!) & 0xffff
  return crc
}

async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const info = await readInfo(reader)
  const end = await findEnd(reader)
  findings.completeness = end === 'marked' ? 'complete' : end === 'cut-off' ? 'cut-off' : 'unknown'
  if (info.samples === 0) {
    for (let index = 0; index < info.channels; index += 1)
      findings.channel(index, `audio.${index}`, `flac ${info.bits} bit`).rateHz = info.rateHz
    return
  }
  addAudio(findings, { ...info, type: `flac ${info.bits} bit`, seconds: info.samples / info.rateHz })
}

export const flac: Format = {
  name: 'flac',
  matches: (head) => head.toString('latin1', 0, 4) === 'fLaC',
  findEnd,
  inspect,
}
