import { parse } from 'yaml'
import { z } from 'zod'
import { type BoundedReader, DamagedError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'

const sqliteMagic = 'SQLite format 3\0'
const metadataName = 'metadata.yaml'
const maxMetadataBytes = 1 << 20

const nanoseconds = z.object({ nanoseconds: z.number() })
const start = z.object({ nanoseconds_since_epoch: z.number() })
const count = z.number().min(0)

/** The recorder of https://github.com/ros2/rosbag2 writes this file when it closes a bag. */
const metadataSchema = z.object({
  rosbag2_bagfile_information: z.object({
    relative_file_paths: z.array(z.string()).max(100_000),
    duration: nanoseconds,
    starting_time: start,
    topics_with_message_count: z
      .array(
        z.object({ topic_metadata: z.object({ name: z.string(), type: z.string() }), message_count: count }),
      )
      .max(10_000),
    files: z
      .array(
        z.object({ path: z.string(), starting_time: start, duration: nanoseconds, message_count: count }),
      )
      .max(100_000)
      .optional(),
  }),
})
type Metadata = z.output<typeof metadataSchema>['rosbag2_bagfile_information']

async function readMetadata(reader: BoundedReader): Promise<Metadata> {
  if (reader.size > maxMetadataBytes) throw new DamagedError('The metadata of the bag is too large.')
  const text = (await reader.readExactly(0, reader.size)).toString('utf8')
  let content: unknown
  try {
    content = parse(text, { logLevel: 'silent', maxAliasCount: 0 })
  } catch {
    throw new DamagedError('The metadata of the bag is invalid.')
  }
  const parsed = metadataSchema.safeParse(content)
  if (!parsed.success) throw new DamagedError('The metadata of the bag is incomplete.')
  return parsed.data.rosbag2_bagfile_information
}

const fileNameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? ''

/** Null if the recorder has not written the metadata, or has not listed this file in it. */
async function metadataOf(reader: BoundedReader): Promise<Metadata | null> {
  const metadataReader = await reader.openBeside(metadataName)
  if (metadataReader === null) return null
  try {
    const metadata = await readMetadata(metadataReader)
    return metadata.relative_file_paths.some((path) => fileNameOf(path) === reader.source.name)
      ? metadata
      : null
  } catch (error) {
    if (error instanceof DamagedError) return null
    throw error
  }
}

/**
 * The recorder closes a bag by writing its metadata. While a bag of several files is being recorded, it has no metadata, so
 * missing metadata proves nothing. A leftover SQLite journal proves that the file is cut off.
 */
async function findDatabaseEnd(reader: BoundedReader): Promise<EndMark> {
  if (await isDatabaseCut(reader)) return 'cut-off'
  return (await metadataOf(reader)) === null ? 'unmarked' : 'marked'
}

/** https://www.sqlite.org/fileformat.html */
async function isDatabaseCut(reader: BoundedReader): Promise<boolean> {
  if (reader.size < 100) return true
  const head = await reader.readExactly(0, 100)
  const field = head.readUInt16BE(16)
  const pageBytes = field === 1 ? 65_536 : field
  // Only some SQLite versions keep the number of pages up to date.
  const hasPageCount = head.readUInt32BE(24) === head.readUInt32BE(92)
  if (hasPageCount && head.readUInt32BE(28) * pageBytes > reader.size) return true
  if (pageBytes === 0 || reader.size % pageBytes !== 0) return true
  for (const suffix of ['-journal', '-wal']) {
    const leftover = await reader.openBeside(reader.source.name + suffix)
    if (leftover !== null && leftover.size > 0) return true
  }
  return false
}

async function inspectDatabase(reader: BoundedReader, findings: Findings): Promise<void> {
  const isCut = await isDatabaseCut(reader)
  if (isCut) findings.completeness = 'cut-off'
  const metadata = await metadataOf(reader)
  if (metadata === null) return
  addMetadata(
    metadata,
    findings,
    metadata.files?.find(({ path }) => fileNameOf(path) === reader.source.name),
  )
  if (!isCut) findings.completeness = 'complete'
}

function addMetadata(
  metadata: Metadata,
  findings: Findings,
  file?: NonNullable<Metadata['files']>[number],
): void {
  const { starting_time, duration } = file ?? metadata
  const hasOwnCounts = metadata.relative_file_paths.length === 1 || file === undefined
  for (const { topic_metadata, message_count } of metadata.topics_with_message_count) {
    const channel = findings.channel(topic_metadata.name, topic_metadata.name, topic_metadata.type)
    // The counts cover all files of the bag.
    if (!hasOwnCounts) continue
    channel.messages = message_count
    const seconds = duration.nanoseconds / 1e9
    if (message_count > 1 && seconds > 0) channel.rateHz = Number(((message_count - 1) / seconds).toFixed(6))
  }
  findings.startMs = starting_time.nanoseconds_since_epoch / 1e6
  findings.durationS = duration.nanoseconds / 1e9
  if (metadata.topics_with_message_count.every(({ message_count }) => message_count === 0))
    findings.warn('no-messages', 'The recording holds no messages.')
}

export const rosbag2Database: Format = {
  name: 'rosbag2',
  matches: (head, fileName) => fileName.endsWith('.db3') && head.toString('latin1', 0, 16) === sqliteMagic,
  findEnd: findDatabaseEnd,
  inspect: inspectDatabase,
}

export const rosbag2Metadata: Format = {
  name: 'rosbag2',
  matches: (_, fileName) => fileName === metadataName,
  // YAML has no end mark: a truncated text is still valid.
  findEnd: async () => 'unmarked',
  inspect: async (reader, findings) => addMetadata(await readMetadata(reader), findings),
}
