import { type BoundedReader, DamagedError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import { type Box, walkBoxes } from './mp4-boxes.ts'

/** Seconds from 1904 to 1970. */
const epochOffsetS = 2_082_844_800
const maxTracks = 100
/** Sluice reads tables in slices of this size, so that a long table takes little memory. */
const sliceBytes = 64 * 1024

export type Mp4Track = {
  readonly id: number
  readonly kind: string
  readonly codec: string | null
  readonly timescale: number
  readonly isFragmented: boolean
  readonly lastChunkAt: number
  /** Runs of frames with the same duration, in ticks. After `maxRuns` runs, further frames join the last run. */
  readonly runs: { count: number; frameTicks: number }[]
  frames: number
  durationTicks: number
  defaultFrameTicks: number
}

const maxRuns = 1_000

const addRun = (track: Mp4Track, count: number, frameTicks: number): void => {
  if (count === 0) return
  track.frames += count
  track.durationTicks += count * frameTicks
  const last = track.runs.at(-1)
  if (last !== undefined && (last.frameTicks === frameTicks || track.runs.length >= maxRuns)) {
    // Beyond the limit, use the average duration for the remaining frames.
    last.frameTicks = (last.frameTicks * last.count + frameTicks * count) / (last.count + count)
    last.count += count
  } else track.runs.push({ count, frameTicks })
}

/** Reads the movie box: tracks with their kind, codec and frame times. */
export async function readTracks(reader: BoundedReader, movie: Box, findings: Findings): Promise<Mp4Track[]> {
  const tracks: Mp4Track[] = []
  findings.dateOffsetMs = null
  const defaults = new Map<number, number>()
  let isFragmented = false
  for await (const box of walkBoxes(reader, movie.bodyAt, movie.end)) {
    if (box.type === 'mvhd') findings.dateOffsetMs = await creationMs(reader, box)
    if (box.type === 'mvex') {
      isFragmented = true
      for await (const inner of walkBoxes(reader, box.bodyAt, box.end))
        if (inner.type === 'trex') {
          const body = await bodyOf(reader, inner, 24)
          defaults.set(body.readUInt32BE(4), body.readUInt32BE(12))
        }
    }
    if (box.type === 'trak' && tracks.length < maxTracks) {
      const track = await readTrack(reader, box)
      if (track !== null) tracks.push(track)
    }
  }
  return tracks.map((track) => ({ ...track, isFragmented, defaultFrameTicks: defaults.get(track.id) ?? 0 }))
}

async function readTrack(reader: BoundedReader, trak: Box): Promise<Mp4Track | null> {
  const boxes = await collectBoxes(reader, trak, ['mdia', 'minf', 'stbl'])
  const header = boxes.get('tkhd')
  const media = boxes.get('mdhd')
  const handler = boxes.get('hdlr')
  if (header === undefined || media === undefined || handler === undefined) return null
  const tkhd = await bodyOf(reader, header, 24)
  const mdhd = await bodyOf(reader, media, 20)
  const codec = boxes.get('stsd')
  const track: Mp4Track = {
    id: tkhd.readUInt32BE(tkhd[0] === 1 ? 20 : 12),
    kind: (await bodyOf(reader, handler, 12)).toString('latin1', 8, 12),
    codec: codec === undefined ? null : await codecOf(reader, codec),
    timescale: mdhd[0] === 1 ? (await bodyOf(reader, media, 24)).readUInt32BE(20) : mdhd.readUInt32BE(12),
    isFragmented: false,
    lastChunkAt: await lastChunkAt(reader, boxes),
    runs: [],
    frames: 0,
    durationTicks: 0,
    defaultFrameTicks: 0,
  }
  const times = boxes.get('stts')
  if (times !== undefined)
    await readTable(reader, times, 8, (entry) => addRun(track, entry.readUInt32BE(0), entry.readUInt32BE(4)))
  // No chunk is at offset 0. If the end of the file was lost, the last table may contain only zeros.
  if (track.frames > 0 !== track.lastChunkAt > 0) throw new DamagedError('A track lacks one of its tables.')
  return track
}

/** Collects the boxes of `parent` and of the containers nested inside it. The first box of each type counts. */
async function collectBoxes(
  reader: BoundedReader,
  parent: Box,
  [container, ...innerContainers]: readonly string[],
): Promise<Map<string, Box>> {
  const boxes = new Map<string, Box>()
  for await (const box of walkBoxes(reader, parent.bodyAt, parent.end)) {
    if (!boxes.has(box.type)) boxes.set(box.type, box)
    if (box.type === container)
      for (const [type, inner] of await collectBoxes(reader, box, innerContainers))
        if (!boxes.has(type)) boxes.set(type, inner)
  }
  return boxes
}

async function bodyOf(reader: BoundedReader, box: Box, length: number): Promise<Buffer> {
  if (box.end - box.bodyAt < length) throw new DamagedError(`The box ${box.type} is too short.`)
  return reader.readExactly(box.bodyAt, length)
}

async function codecOf(reader: BoundedReader, box: Box): Promise<string | null> {
  if (box.end - box.bodyAt < 16) return null
  const codec = (await reader.readExactly(box.bodyAt, 16)).toString('latin1', 12, 16).trim()
  return /^[\x20-\x7e]+$/.test(codec) ? codec : null
}

/** Reads a table of entries with the same length. It follows version, flags and count. */
async function readTable(
  reader: BoundedReader,
  box: Box,
  entryBytes: number,
  visit: (entry: Buffer) => void,
): Promise<void> {
  const count = (await bodyOf(reader, box, 8)).readUInt32BE(4)
  const bytes = count * entryBytes
  if (bytes > box.end - box.bodyAt - 8) throw new DamagedError(`The box ${box.type} is too short.`)
  for (let at = 0; at < bytes; at += sliceBytes) {
    const slice = await reader.readExactly(box.bodyAt + 8 + at, Math.min(sliceBytes, bytes - at))
    for (let i = 0; i < slice.length; i += entryBytes) visit(slice.subarray(i, i + entryBytes))
  }
}

/**
 * The offset of the last chunk of frames, or 0 if there is none. An offset beyond the end of the file means that the
 * file is cut off.
 */
async function lastChunkAt(reader: BoundedReader, boxes: ReadonlyMap<string, Box>): Promise<number> {
  const [short, long] = [boxes.get('stco'), boxes.get('co64')]
  const box = short ?? long
  if (box === undefined) return 0
  const entryBytes = box === short ? 4 : 8
  const count = (await bodyOf(reader, box, 8)).readUInt32BE(4)
  if (count === 0) return 0
  if (count * entryBytes > box.end - box.bodyAt - 8)
    throw new DamagedError(`The box ${box.type} is too short.`)
  const last = await reader.readExactly(box.bodyAt + 8 + (count - 1) * entryBytes, entryBytes)
  return entryBytes === 4 ? last.readUInt32BE(0) : Number(last.readBigUInt64BE(0))
}

async function creationMs(reader: BoundedReader, box: Box): Promise<number | null> {
  const body = await bodyOf(reader, box, 12)
  const seconds = body[0] === 1 ? Number(body.readBigUInt64BE(4)) : body.readUInt32BE(4)
  // Zero means that the recorder stored no date. A date before 2000 comes from a clock that was not set.
  const ms = (seconds - epochOffsetS) * 1000
  return ms > Date.UTC(2000, 0, 1) && ms < 8.64e15 ? ms : null
}

/** Adds the frames of a movie fragment to its tracks. */
export async function addFragment(
  reader: BoundedReader,
  fragment: Box,
  tracks: readonly Mp4Track[],
): Promise<void> {
  for await (const traf of walkBoxes(reader, fragment.bodyAt, fragment.end)) {
    if (traf.type !== 'traf') continue
    let track: Mp4Track | undefined
    let frameTicks = 0
    for await (const box of walkBoxes(reader, traf.bodyAt, traf.end)) {
      if (box.type === 'tfhd') {
        const head = await bodyOf(reader, box, 8)
        track = tracks.find(({ id }) => id === head.readUInt32BE(4))
        frameTicks = track?.defaultFrameTicks ?? 0
        const flags = head.readUInt32BE(0) & 0xffffff
        const frameTicksAt = 8 + (flags & 0x01 ? 8 : 0) + (flags & 0x02 ? 4 : 0)
        if (flags & 0x08)
          frameTicks = (await bodyOf(reader, box, frameTicksAt + 4)).readUInt32BE(frameTicksAt)
      }
      if (box.type === 'trun' && track !== undefined) await readRun(reader, box, track, frameTicks)
    }
  }
}

async function readRun(reader: BoundedReader, box: Box, track: Mp4Track, frameTicks: number): Promise<void> {
  const head = await bodyOf(reader, box, 8)
  const flags = head.readUInt32BE(0) & 0xffffff
  const count = head.readUInt32BE(4)
  if ((flags & 0x100) === 0) {
    // Without a table, nothing in the file limits the count.
    if (count > 10_000_000) throw new DamagedError('A fragment declares too many frames.')
    addRun(track, count, frameTicks)
    return
  }
  const entryBytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
  const start = box.bodyAt + 8 + (flags & 0x01 ? 4 : 0) + (flags & 0x04 ? 4 : 0)
  if (start + count * entryBytes > box.end) throw new DamagedError('A fragment is too short.')
  for (let i = 0; i < count; i += 1)
    addRun(track, 1, (await reader.readExactly(start + i * entryBytes, 4)).readUInt32BE(0))
}

const kindNames: Readonly<Record<string, string>> = {
  vide: 'video',
  soun: 'audio',
  sbtl: 'subtitle',
  text: 'text',
  tmcd: 'timecode',
  meta: 'metadata',
}

export function addTracks(tracks: readonly Mp4Track[], findings: Findings): void {
  let durationS = 0
  findings.startMs = 0
  for (const [name, track] of nameTracks(tracks)) {
    const channel = findings.channel(track.id, name, track.codec)
    channel.messages = track.frames
    if (track.timescale === 0) continue
    const trackS = track.durationTicks / track.timescale
    durationS = Math.max(durationS, trackS)
    if (trackS > 0) channel.rateHz = Number((track.frames / trackS).toFixed(6))
    let atMs = 0
    for (const { count, frameTicks } of track.runs) {
      const frameMs = (frameTicks / track.timescale) * 1000
      if (Number.isFinite(atMs + count * frameMs))
        channel.addMessages(count, atMs, atMs + (count - 1) * frameMs)
      atMs += count * frameMs
    }
  }
  findings.durationS = durationS
}

/** "video", or "video.0" and "video.1" if the file has several video tracks. */
function nameTracks(tracks: readonly Mp4Track[]): (readonly [string, Mp4Track])[] {
  const countByKind = new Map<string, number>()
  return tracks.map((track) => {
    const kind = kindNames[track.kind] ?? (/^\w{4}$/.test(track.kind) ? track.kind : 'track')
    const index = countByKind.get(kind) ?? 0
    countByKind.set(kind, index + 1)
    const isOnly = tracks.filter((other) => other.kind === track.kind).length === 1
    return [isOnly ? kind : `${kind}.${index}`, track] as const
  })
}
