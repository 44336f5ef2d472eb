import { type BoundedReader, DamagedError, EndOfFileError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { addressOf } from './hdf5-address.ts'
import { listGroup, readObject } from './hdf5-objects.ts'
import { cutText } from './text.ts'

/** https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html */
const signature = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1')
const maxObjects = 2_000
/** Recorders keep datasets in groups such as `/observations/images`, so a few levels are enough. */
const maxDepth = 4

/** Where the superblock may be. A program may put a block of its own before it, as MATLAB does. */
const superblockPositions = [0, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]

type Superblock = {
  /** Counts positions from the superblock, as the file does. */
  readonly reader: BoundedReader
  readonly rootAt: number
  readonly end: EndMark
}

async function findSuperblock(reader: BoundedReader): Promise<number | null> {
  for (const at of superblockPositions)
    if ((await reader.readUpTo(at, signature.length)).equals(signature)) return at
  return null
}

/** Whether the file is an HDF5 file that begins with a user block, not with the HDF5 signature. */
export const isHdf5WithUserBlock = async (reader: BoundedReader): Promise<boolean> =>
  (await findSuperblock(reader)) !== null

async function readSuperblock(file: BoundedReader): Promise<Superblock> {
  const superblockAt = await findSuperblock(file)
  if (superblockAt === null) throw new DamagedError('The file is not an HDF5 file.')
  const reader = file.from(superblockAt)
  const version = (await reader.readExactly(0, 9))[8]!
  if (version > 3) throw new DamagedError(`HDF5 version ${version} is not supported.`)
  const isOld = version <= 1
  const bytes = await reader.readExactly(0, isOld ? 96 + version * 4 : 48)
  const addressBytes = isOld ? 13 : 9
  if (bytes[addressBytes] !== 8 || bytes[addressBytes + 1] !== 8)
    throw new DamagedError('The addresses of the file are not 64 bits long.')
  const baseAt = isOld ? 24 + version * 4 : 12
  // Some files count the user block in both the stored end and the base address, others in neither.
  const endOfFile = addressOf(bytes, baseAt + 16) - addressOf(bytes, baseAt)
  // The flag is set while a writer has the file open. A crashed writer leaves it set.
  const isOpen = version === 3 && (bytes[11]! & 1) === 1
  return {
    reader,
    rootAt: addressOf(bytes, isOld ? baseAt + 32 + 8 : baseAt + 24),
    end: isOpen ? 'cut-off' : endOf(endOfFile, reader.size),
  }
}

const endOf = (endOfFile: number, sizeBytes: number): EndMark => {
  // The library stores the file size when it closes the file. Until then, the file is longer than the stored size.
  if (endOfFile < sizeBytes) return 'unmarked'
  return endOfFile === sizeBytes ? 'marked' : 'cut-off'
}

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  try {
    return (await readSuperblock(reader)).end
  } catch (error) {
    if (error instanceof EndOfFileError) return 'cut-off'
    if (error instanceof DamagedError) return 'unmarked'
    throw error
  }
}

async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const superblock = await readSuperblock(reader)
  const { end } = superblock
  if (end === 'cut-off') findings.completeness = 'cut-off'
  try {
    await readObjects(superblock, findings)
  } catch (error) {
    if (end !== 'marked' || !(error instanceof EndOfFileError)) throw error
    // The file has its end mark, so no bytes are missing. Instead, an object refers to a place outside the file.
    findings.warn('not-readable', 'A part of the file could not be read.')
    return
  }
  if (end === 'marked') findings.completeness = 'complete'
}

async function readObjects({ reader, rootAt }: Superblock, findings: Findings): Promise<void> {
  let objects = 0
  const groups = [{ path: '', at: rootAt, depth: 0 }]
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const { path, depth } = group
    for (const { name, at } of await listGroup(reader, group.at, maxObjects - objects)) {
      objects += 1
      const object = await readObject(reader, at)
      if (object.kind === 'dataset') {
        const shape = object.dimensions.join(' × ')
        const channel = findings.channel(
          objects,
          `${path}/${name}`.slice(1),
          `${object.type} ${shape}`.trim(),
        )
        channel.messages = object.dimensions[0] ?? 1
      } else if (object.kind === 'group' && depth + 1 < maxDepth)
        groups.push({ path: cutText(`${path}/${name}`), at, depth: depth + 1 })
    }
    if (objects >= maxObjects) {
      findings.warn('too-many-channels', `The file holds more than ${maxObjects} objects.`)
      break
    }
  }
}

export const hdf5: Format = {
  name: 'hdf5',
  matches: (head) => head.subarray(0, signature.length).equals(signature),
  findEnd,
  inspect,
}
