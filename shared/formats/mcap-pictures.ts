import { type BoundedReader, SourceError, TimeLimitError } from './bounded-reader.ts'
import { Findings } from './findings.ts'
import { jpegLook } from './jpeg-look.ts'
import { unpackChunk } from './mcap-chunk.ts'
import { Op, walkChunk, walkRecords } from './mcap-records.ts'
import { type PictureLook, PictureSamples } from './picture-look.ts'
import { pngLook } from './png-look.ts'
import { rosImageLook } from './ros-image.ts'

/** How many chunks Sluice unpacks for their pictures, spread over the recording. More would take too long. */
const SAMPLED_CHUNKS = 5
const PICTURES_PER_CHANNEL = 10
/** Larger chunks would take longer than the rest of the inspection. */
const MAX_CHUNK_BYTES = 8 << 20
/** A message starts with a time, a name and a format. The picture starts within this many bytes. */
const MAX_HEAD_BYTES = 1024
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff])
const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Bytes of a message record before its data. */
const MESSAGE_HEAD_BYTES = 22

export type ChunkPlace = { readonly start: number; readonly bytes: number }
export type PictureKind = 'compressed' | 'ros1' | 'ros2'

/** How a channel stores its pictures. Null if it has no pictures, or if Sluice cannot check them. */
export const pictureKindOf = (schema: string | undefined, encoding: string): PictureKind | null => {
  if (schema === undefined) return null
  if (/\bCompressedImage$/.test(schema)) return encoding === 'json' ? null : 'compressed'
  if (!/^sensor_msgs\/(msg\/)?Image$/.test(schema)) return null
  return encoding === 'cdr' ? 'ros2' : encoding === 'ros1' ? 'ros1' : null
}

type Picture = { readonly bytes: Buffer; readonly look: PictureLook | null }

const lookOf = (message: Buffer, kind: PictureKind): Picture => {
  switch (kind) {
    case 'compressed':
      return compressedLook(message)
    case 'ros1':
    case 'ros2':
      // Compare only the second half of each message, because the time at its beginning always differs.
      return {
        bytes: message.subarray(message.length >> 1),
        look: rosImageLook(message, kind === 'ros2'),
      }
  }
}

/** Searches for the first bytes of a picture, so that the encoding of the message does not matter. */
const compressedLook = (message: Buffer): Picture => {
  const head = message.subarray(0, MAX_HEAD_BYTES)
  const pngAt = head.indexOf(PNG_START)
  const jpegAt = pngAt < 0 ? head.indexOf(JPEG_START) : -1
  if (pngAt < 0 && jpegAt < 0) return { bytes: message, look: null }
  const bytes = message.subarray(Math.max(pngAt, jpegAt))
  return { bytes, look: pngAt < 0 ? jpegLook(bytes) : pngLook(bytes) }
}

/** At most `count` elements, spread evenly from the first to the last. */
const spread = <T>(all: readonly T[], count: number): readonly T[] =>
  all.length <= count
    ? all
    : Array.from({ length: count }, (_, index) => all[Math.round((index * (all.length - 1)) / (count - 1))]!)

/** The messages of each picture channel in one chunk. */
const messagesIn = (
  records: Buffer,
  kinds: ReadonlyMap<number, PictureKind>,
): ReadonlyMap<number, readonly Buffer[]> => {
  const messages = new Map<number, Buffer[]>()
  for (const { op, body } of walkChunk(records)) {
    const channel = op === Op.message ? body.readUInt16LE(0) : -1
    if (!kinds.has(channel)) continue
    const ofChannel = messages.get(channel) ?? []
    ofChannel.push(body.subarray(MESSAGE_HEAD_BYTES))
    messages.set(channel, ofChannel)
  }
  return messages
}

/** Adds up to `count` pictures of each channel to `samples`. Throws if the chunk is damaged. */
const checkChunk = async (
  reader: BoundedReader,
  kinds: ReadonlyMap<number, PictureKind>,
  { start, bytes }: ChunkPlace,
  count: number,
  samples: ReadonlyMap<number, PictureSamples>,
): Promise<void> => {
  // Ignore the warnings: the summary lists the messages of a chunk even if Sluice cannot unpack it.
  const unused = new Findings('mcap')
  for await (const record of walkRecords(reader, start, start + bytes)) {
    const { records } = await unpackChunk(record, unused)
    if (records === null) return
    for (const [channel, messages] of messagesIn(records, kinds))
      for (const message of spread(messages, count)) {
        reader.checkTime()
        const { bytes: pictureBytes, look } = lookOf(message, kinds.get(channel)!)
        samples.get(channel)!.add(pictureBytes, look)
      }
  }
}

const checkChunks = async (
  reader: BoundedReader,
  kinds: ReadonlyMap<number, PictureKind>,
  places: readonly ChunkPlace[],
  samples: ReadonlyMap<number, PictureSamples>,
): Promise<void> => {
  const perChunk = Math.max(2, Math.ceil(PICTURES_PER_CHANNEL / places.length))
  for (const place of places)
    try {
      await checkChunk(reader, kinds, place, perChunk, samples)
    } catch (error) {
      if (error instanceof SourceError) throw error
      // Throws after an abort or the time limit. Otherwise, this chunk is damaged, but the next one may be intact.
      reader.checkTime()
    }
}

/**
 * Unpacks a few chunks and checks some pictures of each channel. All other findings come from the summary, so a
 * damaged chunk or the time limit does not change them.
 */
export async function checkPictures(
  reader: BoundedReader,
  findings: Findings,
  kinds: ReadonlyMap<number, PictureKind>,
  places: readonly ChunkPlace[],
): Promise<void> {
  const chosen = spread(
    places.filter(({ bytes }) => bytes <= MAX_CHUNK_BYTES),
    SAMPLED_CHUNKS,
  )
  if (kinds.size === 0 || chosen.length === 0) return
  const samples = new Map([...kinds.keys()].map((channel) => [channel, new PictureSamples()]))
  try {
    await checkChunks(reader, kinds, chosen, samples)
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
  }
  for (const [channel, { signal }] of samples) findings.channel(channel).signal = signal
}
