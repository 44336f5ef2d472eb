import { parse } from 'yaml'
import { z } from 'zod'
import { MAX_ROSBAG2_METADATA_BYTES, rosbag2Files } from '../paths/rosbag2-files.ts'
import { type BoundedReader, DamagedError, EndOfFileError, TooLargeError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { Format } from './format.ts'

const metadataName = 'metadata.yaml'
/** Parsing a text of this size takes almost all the memory that an inspection may use. */
const maxParsedBytes = 1 << 20

const nanoseconds = z.object({ nanoseconds: z.number() })
const start = z.object({ nanoseconds_since_epoch: z.number() })
const count = z.number().min(0)

/** The content of `metadata.yaml`. The recorder of https://github.com/ros2/rosbag2 writes it when it closes a bag. */
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
  if (reader.size > maxParsedBytes)
    throw new TooLargeError(`Metadata of ${reader.size} bytes is too large to inspect.`)
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

/** Whether the metadata lists this file. `unreadable`: Sluice may have read only a part of the list. */
export async function listingOf(reader: BoundedReader): Promise<'listed' | 'not-listed' | 'unreadable'> {
  const metadataReader = await reader.openBeside(metadataName)
  if (metadataReader === null) return 'not-listed'
  const { size } = metadataReader
  const text = await metadataReader.readUpTo(0, Math.min(size, MAX_ROSBAG2_METADATA_BYTES))
  const { files, isWhole } = rosbag2Files(text.toString('utf8'))
  if (files.some((path) => fileNameOf(path) === reader.source.name)) return 'listed'
  return isWhole && size <= MAX_ROSBAG2_METADATA_BYTES ? 'not-listed' : 'unreadable'
}

/** Null if the metadata cannot be read, or if it only counts the messages of all files together. */
export async function declaredMessagesOf(reader: BoundedReader): Promise<number | null> {
  const metadataReader = await reader.openBeside(metadataName)
  if (metadataReader === null) return null
  try {
    return messagesIn(await readMetadata(metadataReader), reader.source.name)
  } catch (error) {
    if (error instanceof DamagedError || error instanceof EndOfFileError) return null
    throw error
  }
}

function messagesIn(
  { files, relative_file_paths, topics_with_message_count }: Metadata,
  name: string,
): number | null {
  const file = files?.find(({ path }) => fileNameOf(path) === name)
  if (file !== undefined) return file.message_count
  if (relative_file_paths.length > 1) return null
  return topics_with_message_count.reduce((sum, { message_count }) => sum + message_count, 0)
}

function addMetadata(metadata: Metadata, findings: Findings): void {
  const { starting_time, duration, topics_with_message_count } = metadata
  for (const { topic_metadata, message_count } of topics_with_message_count) {
    const channel = findings.channel(topic_metadata.name, topic_metadata.name, topic_metadata.type)
    channel.messages = message_count
    const seconds = duration.nanoseconds / 1e9
    if (message_count > 1 && seconds > 0) channel.rateHz = Number(((message_count - 1) / seconds).toFixed(6))
  }
  findings.startMs = starting_time.nanoseconds_since_epoch / 1e6
  findings.durationS = duration.nanoseconds / 1e9
  if (topics_with_message_count.every(({ message_count }) => message_count === 0))
    findings.warn('no-messages', 'The recording holds no messages.')
}

export const rosbag2Metadata: Format = {
  name: 'rosbag2',
  matches: (_, fileName) => fileName === metadataName,
  // YAML has no end mark: a truncated text may still be valid.
  findEnd: async () => 'unmarked',
  inspect: async (reader, findings) => addMetadata(await readMetadata(reader), findings),
}
