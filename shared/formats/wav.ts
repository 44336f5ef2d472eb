import { type BoundedReader, DamagedError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { checkSound } from './pcm-sound.ts'

const unknownSize = 0xffff_ffff
/** Recorders write the header first, so a shorter WAV file is unfinished. */
const headerBytes = 12
const maxChunks = 1_000
/** A recorder or a file system may fill up the last block of a file with zeros. More zeros are probably silence. */
const maxPaddingBytes = 4 << 20
/**
 * Sluice checks the bytes after the RIFF chunk in blocks of this size. If these bytes are samples, the first block
 * usually shows that.
 */
const paddingBlockBytes = 256 << 10

type SampleFormat = {
  readonly channels: number
  readonly rateHz: number
  readonly bytesPerSecond: number
  readonly frameBytes: number
  readonly bits: number
  readonly tag: number
  /** How many samples of each channel a block of ADPCM has. Zero if the header lacks this number. */
  readonly blockSamples: number
}

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  const head = await reader.readUpTo(0, headerBytes)
  if (head.length < headerBytes) return 'cut-off'
  if (!isWave(head)) return 'unmarked'
  const riffSize = head.readUInt32LE(4)
  // RF64 and BW64 store their size in a different chunk. Streaming recorders never write the size.
  if (head.toString('latin1', 0, 4) !== 'RIFF' || riffSize === unknownSize) return 'unmarked'
  const withPadByte = riffSize + (riffSize % 2)
  if (reader.size - 8 === riffSize || reader.size - 8 === withPadByte) return 'marked'
  const riffEnd = 8 + riffSize
  if (await lacksPadByte(reader, riffEnd)) return 'marked'
  // Zeros after the RIFF chunk are padding, or silence that a killed recorder wrote after its last header update.
  return (await hasPadding(reader, riffEnd)) ? 'unmarked' : 'cut-off'
}

/**
 * Whether the RIFF chunk has samples, and only zeros follow it. If the RIFF chunk has no samples, the recorder may
 * never have updated the header. The zeros may then be silence.
 */
async function hasPadding(reader: BoundedReader, riffEnd: number): Promise<boolean> {
  if (reader.size <= riffEnd || reader.size - riffEnd > maxPaddingBytes) return false
  let hasSamples = false
  for await (const { name, start, size } of chunksOf(reader, riffEnd))
    if (name === 'data') hasSamples = size > 0 && start + size <= riffEnd
  if (!hasSamples) return false
  for (let at = riffEnd; at < reader.size; at += paddingBlockBytes) {
    const block = await reader.readUpTo(at, Math.min(paddingBlockBytes, reader.size - at))
    if (block.length === 0 || block.some((byte) => byte !== 0)) return false
  }
  return true
}

/** Whether the file lacks only the pad byte of its last chunk. */
async function lacksPadByte(reader: BoundedReader, riffEnd: number): Promise<boolean> {
  if (reader.size !== riffEnd - 1) return false
  for await (const { start, size } of chunksOf(reader, reader.size))
    if (size % 2 === 1 && start + size === reader.size) return true
  return false
}

type Chunk = { readonly name: string; readonly start: number; readonly size: number }

/** The chunks whose headers are before `end`. */
async function* chunksOf(reader: BoundedReader, end: number): AsyncGenerator<Chunk> {
  for (let at = headerBytes, chunks = 0; at + 8 <= end && chunks < maxChunks; chunks += 1) {
    const head = await reader.readExactly(at, 8)
    const size = head.readUInt32LE(4)
    yield { name: head.toString('latin1', 0, 4), start: at + 8, size }
    at += 8 + size + (size % 2)
  }
}

/** Reads the headers of the RIFF chunks, and short pieces of the sound. */
async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const end = await findEnd(reader)
  findings.completeness = end === 'cut-off' ? 'cut-off' : 'unknown'
  const head = await reader.readExactly(0, headerBytes)
  if (!isWave(head)) throw new DamagedError('The file is not a WAV file.')
  const kind = head.toString('latin1', 0, 4)
  let format: SampleFormat | null = null
  let longDataBytes: number | null = null
  let statedSamples = 0
  for (let at = headerBytes, chunks = 0; at + 8 <= reader.size && chunks < maxChunks; chunks += 1) {
    const chunk = await reader.readUpTo(at, 8 + 28)
    const name = chunk.toString('latin1', 0, 4)
    const size = chunk.readUInt32LE(4)
    if (name === 'fmt ' && size >= 16 && chunk.length >= 8 + 16)
      format = formatOf(chunk.subarray(8, 8 + size))
    if (name === 'fact' && chunk.length >= 8 + 4) statedSamples = chunk.readUInt32LE(8)
    // RF64: sizes above 4 GB are in a separate chunk.
    if (name === 'ds64' && chunk.length >= 8 + 16) longDataBytes = Number(chunk.readBigUInt64LE(16))
    if (name === 'data') {
      const isLong = size === unknownSize
      const presentBytes = reader.size - at - 8
      const dataBytes = isLong ? (longDataBytes ?? presentBytes) : size
      const bytes = Math.min(dataBytes, presentBytes)
      addSamples(findings, format, bytes, dataBytes > presentBytes ? 0 : statedSamples)
      if (dataBytes > presentBytes) findings.completeness = 'cut-off'
      else if (end === 'marked' || (kind !== 'RIFF' && isLong && longDataBytes !== null))
        findings.completeness = 'complete'
      await checkSound(reader, findings, {
        ...format!,
        start: at + 8,
        bytes,
      })
      return
    }
    at += 8 + size + (size % 2)
  }
  throw new DamagedError('The file has no samples.')
}

const extensible = 0xfffe
/** The ADPCM formats of Microsoft and IMA. */
const adpcmTags = [2, 17]

/** In the extensible format, the tag of the samples is later in the chunk. */
const formatOf = (body: Buffer): SampleFormat => ({
  tag:
    body.readUInt16LE(0) === extensible && body.length >= 26 ? body.readUInt16LE(24) : body.readUInt16LE(0),
  channels: body.readUInt16LE(2),
  rateHz: body.readUInt32LE(4),
  bytesPerSecond: body.readUInt32LE(8),
  frameBytes: body.readUInt16LE(12),
  bits: body.readUInt16LE(14),
  blockSamples: body.length >= 20 ? body.readUInt16LE(18) : 0,
})

/**
 * Calculates the duration from the number of ADPCM blocks and from the number of samples in the header. Returns the
 * shorter one. Ignores the bytes per second in the header, because they are inexact. Null if unknown.
 */
function adpcmSeconds(format: SampleFormat, bytes: number, statedSamples: number): number | null {
  const { frameBytes, blockSamples, rateHz } = format
  const counts = [
    frameBytes === 0 ? 0 : Math.ceil(bytes / frameBytes) * blockSamples,
    statedSamples === unknownSize ? 0 : statedSamples,
  ].filter((count) => count > 0)
  return counts.length === 0 || rateHz === 0 ? null : Math.min(...counts) / rateHz
}

function addSamples(
  findings: Findings,
  format: SampleFormat | null,
  bytes: number,
  statedSamples: number,
): void {
  if (format === null || format.channels === 0 || format.channels > 1_024 || format.bytesPerSecond === 0)
    throw new DamagedError('The file lacks its sample format.')
  const seconds = adpcmTags.includes(format.tag)
    ? adpcmSeconds(format, bytes, statedSamples)
    : bytes / format.bytesPerSecond
  const kind = format.tag === 3 ? 'float' : format.tag === 1 || format.tag === extensible ? 'pcm' : 'audio'
  addAudio(findings, { ...format, type: `${kind} ${format.bits} bit`, seconds })
}

/** Adds each audio channel of the file. */
export function addAudio(
  findings: Findings,
  audio: {
    readonly channels: number
    readonly rateHz: number
    readonly type: string
    /** Null if unknown. */
    readonly seconds: number | null
  },
): void {
  for (let index = 0; index < audio.channels; index += 1) {
    const channel = findings.channel(index, `audio.${index}`, audio.type)
    channel.messages = audio.seconds === null ? null : Math.round(audio.seconds * audio.rateHz)
    channel.rateHz = audio.rateHz
  }
  findings.durationS = audio.seconds
}

const isWave = (head: Buffer): boolean =>
  ['RIFF', 'RF64', 'BW64'].includes(head.toString('latin1', 0, 4)) &&
  head.toString('latin1', 8, 12) === 'WAVE'

export const wav: Format = {
  name: 'wav',
  matches: (head, fileName) => isWave(head) || fileName.endsWith('.wav'),
  findEnd,
  inspect,
}
