import { type BoundedReader, DamagedError, EndOfFileError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { textOf } from './text.ts'

/** https://www.matroska.org/technical/elements.html */
const Id = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  void: 0xec,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  dateUtc: 0x4461,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  name: 0x536e,
  cluster: 0x1f43b675,
  clusterTime: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const

/** Elements directly in the segment. Each of them ends a cluster of unknown length. */
const segmentIds = new Set<number>([
  Id.info,
  Id.tracks,
  Id.cluster,
  Id.seekHead,
  0x1c53bb6b,
  0x1254c367,
  0x1043a770,
  0x1941a469,
])
/** A segment begins with a few elements before its first cluster. */
const maxHeadElements = 64
const year2001Ms = Date.UTC(2001, 0, 1)
const kindNames: Readonly<Record<number, string>> = { 1: 'video', 2: 'audio', 17: 'subtitle' }

type Element = {
  readonly id: number
  readonly bodyAt: number
  readonly end: number
  readonly isEndKnown: boolean
}

async function readElement(reader: BoundedReader, at: number, to: number): Promise<Element> {
  const head = await reader.readUpTo(at, 12)
  if (head.length < 2) throw new EndOfFileError('The file ends in the middle of an element.')
  const idBytes = Math.clz32(head[0]!) - 23
  if (idBytes > 4) throw new DamagedError('The file holds an invalid element.')
  const sizeBytes = Math.clz32(head[idBytes] ?? 0) - 23
  if (head.length < idBytes + sizeBytes)
    throw new EndOfFileError('The file ends in the middle of an element.')
  if (sizeBytes > 8) throw new DamagedError('The file holds an invalid element.')
  let size = head[idBytes]! & (0xff >> sizeBytes)
  let isUnknown = size === 0xff >> sizeBytes
  for (let i = 1; i < sizeBytes; i += 1) {
    const byte = head[idBytes + i]!
    isUnknown &&= byte === 0xff
    size = size * 256 + byte
  }
  const bodyAt = at + idBytes + sizeBytes
  const id = head.readUIntBE(0, idBytes)
  if (isUnknown) return { id, bodyAt, end: to, isEndKnown: false }
  if (!Number.isSafeInteger(bodyAt + size)) throw new DamagedError('An element is too large.')
  return { id, bodyAt, end: bodyAt + size, isEndKnown: true }
}

async function* walkElements(reader: BoundedReader, from: number, to: number): AsyncGenerator<Element> {
  for (let at = from; at < to; ) {
    const element = await readElement(reader, at, to)
    if (element.end > to) {
      if (to >= reader.size) throw new EndOfFileError('The file ends in the middle of an element.')
      throw new DamagedError('An element is longer than the element around it.')
    }
    yield element
    at = element.end
  }
}

async function findSegment(reader: BoundedReader): Promise<Element> {
  const ebml = await readElement(reader, 0, reader.size)
  if (ebml.id !== Id.ebml || !ebml.isEndKnown) throw new DamagedError('The file is not a Matroska file.')
  if (ebml.end > reader.size) throw new EndOfFileError('The file ends in its header.')
  const segment = await readElement(reader, ebml.end, reader.size)
  if (segment.id !== Id.segment) throw new DamagedError('The file has no segment.')
  return segment
}

/** A recorder writes the length of the segment when it stops. A stream never gets a length. */
async function endOf(reader: BoundedReader, segment: Element): Promise<EndMark> {
  if (!segment.isEndKnown) return (await isUnfinished(reader, segment)) ? 'cut-off' : 'unmarked'
  // mkvmerge writes 0 until it knows the length.
  return segment.end > segment.bodyAt && segment.end <= reader.size ? 'marked' : 'cut-off'
}

/**
 * True if the head of the file has a place that the recorder fills when it stops: ffmpeg reserves one for the seek
 * head, and GStreamer writes a duration of 0. A recorder that streams does neither, because it cannot go back in the
 * file.
 */
async function isUnfinished(reader: BoundedReader, segment: Element): Promise<boolean> {
  let [hasSeekHead, hasReservedPlace, elements] = [false, false, 0]
  for (let at = segment.bodyAt; at < reader.size && elements < maxHeadElements; elements += 1) {
    const element = await readElement(reader, at, reader.size)
    if (element.id === Id.cluster) break
    if (element.end > reader.size) throw new EndOfFileError('The file ends in the middle of an element.')
    if (element.id === Id.seekHead) hasSeekHead = true
    if (element.id === Id.void) hasReservedPlace = true
    if (element.id === Id.info && (await hasZeroDuration(reader, element))) return true
    at = element.end
  }
  return hasReservedPlace && !hasSeekHead
}

async function hasZeroDuration(reader: BoundedReader, info: Element): Promise<boolean> {
  for await (const { id, bodyAt, end } of walkElements(reader, info.bodyAt, info.end))
    if (id === Id.duration && end - bodyAt <= 8)
      return (await reader.readExactly(bodyAt, end - bodyAt)).every((byte) => byte === 0)
  return false
}

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  try {
    return await endOf(reader, await findSegment(reader))
  } catch (error) {
    if (error instanceof EndOfFileError) return 'cut-off'
    if (error instanceof DamagedError) return 'unmarked'
    throw error
  }
}

async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const segment = await findSegment(reader)
  const file = new MkvFile(reader, findings)
  const end = await endOf(reader, segment)
  if (end === 'cut-off') findings.completeness = 'cut-off'
  try {
    await file.readSegment(segment.bodyAt, end === 'marked' ? segment.end : reader.size)
    if (end === 'marked') findings.completeness = 'complete'
    if (end === 'unmarked')
      findings.warn('not-finished', 'The recorder did not finish the file, or streamed it.')
  } finally {
    file.conclude()
  }
}

class MkvFile {
  readonly #reader: BoundedReader
  readonly #findings: Findings
  #scaleNs = 1_000_000
  #durationTicks: number | null = null
  #dateMs: number | null = null
  #countByKind = new Map<string, number>()

  constructor(reader: BoundedReader, findings: Findings) {
    this.#reader = reader
    this.#findings = findings
    findings.dateOffsetMs = null
    findings.startMs = 0
  }

  async readSegment(from: number, to: number): Promise<void> {
    for (let at = from; at < to; ) {
      const element = await readElement(this.#reader, at, to)
      if (element.id === Id.cluster) {
        at = await this.#readCluster(element, to)
        continue
      }
      if (element.end > to) throw new EndOfFileError('The file ends in the middle of an element.')
      if (element.id === Id.info) await this.#readInfo(element)
      if (element.id === Id.tracks) await this.#readTracks(element)
      at = element.end
    }
  }

  conclude(): void {
    this.#findings.dateOffsetMs = this.#dateMs
    if (this.#durationTicks !== null) this.#findings.durationS = (this.#durationTicks * this.#scaleNs) / 1e9
  }

  async #readInfo(info: Element): Promise<void> {
    for await (const { id, bodyAt, end } of walkElements(this.#reader, info.bodyAt, info.end)) {
      if (id === Id.timestampScale) this.#scaleNs = (await this.#readNumber(bodyAt, end)) || 1_000_000
      if (id === Id.duration && (end - bodyAt === 4 || end - bodyAt === 8)) {
        const bytes = await this.#reader.readExactly(bodyAt, end - bodyAt)
        const value = bytes.length === 4 ? bytes.readFloatBE(0) : bytes.readDoubleBE(0)
        if (Number.isFinite(value) && value > 0) this.#durationTicks = value
      }
      if (id === Id.dateUtc && end - bodyAt === 8)
        this.#dateMs =
          year2001Ms + Number((await this.#reader.readExactly(bodyAt, 8)).readBigInt64BE(0)) / 1e6
    }
  }

  async #readTracks(tracks: Element): Promise<void> {
    for await (const entry of walkElements(this.#reader, tracks.bodyAt, tracks.end)) {
      if (entry.id !== Id.trackEntry) continue
      let number = 0
      let kind = 'track'
      let codec: string | null = null
      for await (const { id, bodyAt, end } of walkElements(this.#reader, entry.bodyAt, entry.end)) {
        if (id === Id.trackNumber) number = await this.#readNumber(bodyAt, end)
        if (id === Id.trackType) kind = kindNames[await this.#readNumber(bodyAt, end)] ?? 'track'
        if (id === Id.codec) codec = textOf(await this.#reader.readExactly(bodyAt, end - bodyAt))
      }
      const index = this.#countByKind.get(kind) ?? 0
      this.#countByKind.set(kind, index + 1)
      this.#findings.channel(number, index === 0 ? kind : `${kind}.${index}`, codec)
    }
  }

  /** Reads the head of each block, never its frames. Returns the end of the cluster. */
  async #readCluster(cluster: Element, to: number): Promise<number> {
    let clusterTime = 0
    const end = Math.min(cluster.end, to)
    for (let at = cluster.bodyAt; at < end; ) {
      const element = await readElement(this.#reader, at, end)
      if (!cluster.isEndKnown && segmentIds.has(element.id)) return at
      if (element.end > end) throw new EndOfFileError('The file ends in the middle of a cluster.')
      if (element.id === Id.clusterTime) clusterTime = await this.#readNumber(element.bodyAt, element.end)
      if (element.id === Id.simpleBlock) await this.#readBlock(element, clusterTime)
      if (element.id === Id.blockGroup) {
        const block = await readElement(this.#reader, element.bodyAt, element.end)
        if (block.id === Id.block) await this.#readBlock(block, clusterTime)
      }
      at = element.end
    }
    if (cluster.end > to) throw new EndOfFileError('The file ends in the middle of a cluster.')
    return end
  }

  async #readBlock(block: Element, clusterTime: number): Promise<void> {
    const head = await this.#reader.readUpTo(block.bodyAt, 12)
    const numberBytes = Math.clz32(head[0] ?? 0) - 23
    if (numberBytes > 4 || head.length < numberBytes + 2) throw new DamagedError('A block is invalid.')
    const number = head.readUIntBE(0, numberBytes) - 2 ** (7 * numberBytes)
    const time = clusterTime + head.readInt16BE(numberBytes)
    const ms = (time * this.#scaleNs) / 1e6
    if (Number.isFinite(ms) && Math.abs(ms) < 8.64e15) this.#findings.channel(number).addMessage(ms)
  }

  async #readNumber(bodyAt: number, end: number): Promise<number> {
    if (end - bodyAt > 8) throw new DamagedError('A number is too long.')
    let value = 0
    for (const byte of await this.#reader.readExactly(bodyAt, end - bodyAt)) value = value * 256 + byte
    return value
  }
}

export const mkv: Format = {
  name: 'mkv',
  matches: (head) => head.length >= 4 && head.readUInt32BE(0) === Id.ebml,
  findEnd,
  inspect,
}
