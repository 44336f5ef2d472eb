import { type BoundedReader, DamagedError, EndOfFileError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { addressOf, listGroup, readObject } from './hdf5-objects.ts'
import { cutText } from './text.ts'

/** https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html */
const signature = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1')
const maxObjects = 2_000
/** Recorders keep datasets in groups such as /observations/images. */
const maxDepth = 4

type Superblock = { readonly endOfFile: number; readonly rootAt: number; readonly isOpen: boolean }

async function readSuperblock(reader: BoundedReader): Promise<Superblock> {
  const version = (await reader.readExactly(0, 9))[8]!
  if (version <= 1) {
    const bytes = await reader.readExactly(0, version === 0 ? 96 : 100)
    const addresses = version === 0 ? 24 : 28
    if (bytes[13] !== 8 || bytes[14] !== 8)
      throw new DamagedError('The addresses of the file are not 64 bits long.')
    return {
      endOfFile: addressOf(bytes, addresses + 16),
      rootAt: addressOf(bytes, addresses + 32 + 8),
      isOpen: false,
    }
  }
  if (version > 3) throw new DamagedError(`HDF5 version ${version} is not supported.`)
  const bytes = await reader.readExactly(0, 48)
  if (bytes[9] !== 8 || bytes[10] !== 8)
    throw new DamagedError('The addresses of the file are not 64 bits long.')
  return {
    endOfFile: addressOf(bytes, 28),
    rootAt: addressOf(bytes, 36),
    // The flag is set while a writer has the file open. A crashed writer leaves it set.
    isOpen: version === 3 && (bytes[11]! & 1) === 1,
  }
}

const endOf = ({ endOfFile, isOpen }: Superblock, sizeBytes: number): EndMark => {
  if (isOpen || endOfFile > sizeBytes) return 'cut-off'
  // The library writes the file size when it closes the file. If it never closed the file, the file is longer.
  return endOfFile === sizeBytes ? 'marked' : 'unmarked'
}

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  try {
    return endOf(await readSuperblock(reader), reader.size)
  } catch (error) {
    if (error instanceof EndOfFileError) return 'cut-off'
    if (error instanceof DamagedError) return 'unmarked'
    throw error
  }
}

async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  const superblock = await readSuperblock(reader)
  const end = endOf(superblock, reader.size)
  if (end === 'cut-off') findings.completeness = 'cut-off'
  let objects = 0
  const groups = [{ path: '', at: superblock.rootAt, depth: 0 }]
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
  if (end === 'marked') findings.completeness = 'complete'
}

export const hdf5: Format = {
  name: 'hdf5',
  matches: (head) => head.subarray(0, signature.length).equals(signature),
  findEnd,
  inspect,
}
