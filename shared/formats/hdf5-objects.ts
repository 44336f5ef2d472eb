import { type BoundedReader, DamagedError, TooLargeError } from './bounded-reader.ts'
import { addressOf } from './hdf5-address.ts'
import { readDenseLinks } from './hdf5-dense-links.ts'
import { textOf } from './text.ts'

const Message = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  link: 0x06,
  layout: 0x08,
  continuation: 0x10,
  symbolTable: 0x11,
}
const maxMessages = 4_096
const maxBlocks = 64
const maxNodes = 1_000
const maxHeapBytes = 4 << 20
/** The limit for all blocks of one object header, because their messages stay in memory together. */
const maxHeaderBytes = 4 << 20
/** The length of the checksum at the end of each block, which only the new object header has. */
const checksumBytes = 4

export type ObjectLink = { readonly name: string; readonly at: number }
export type Hdf5Object =
  | { readonly kind: 'dataset'; readonly type: string; readonly dimensions: readonly number[] }
  | { readonly kind: 'group' }
  | { readonly kind: 'other' }

type HeaderMessage = { readonly type: number; readonly body: Buffer }

/** Reads the messages of an object header. HDF5 has two versions of this header. */
async function readMessages(reader: BoundedReader, at: number): Promise<HeaderMessage[]> {
  const head = await reader.readExactly(at, 16)
  const isNew = head.toString('latin1', 0, 4) === 'OHDR'
  const messages: HeaderMessage[] = []
  const blocks: { at: number; length: number }[] = []
  let orderBytes = 0
  if (isNew) {
    const flags = head[5]!
    orderBytes = flags & 0x04 ? 2 : 0
    const sizeAt = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0)
    const sizeBytes = 1 << (flags & 3)
    const size = await reader.readExactly(at + sizeAt, sizeBytes)
    const length = sizeBytes === 8 ? Number(size.readBigUInt64LE(0)) : size.readUIntLE(0, sizeBytes)
    blocks.push({ at: at + sizeAt + sizeBytes, length })
  } else {
    if (head[0] !== 1) throw new DamagedError('An object of the file is invalid.')
    blocks.push({ at: at + 16, length: head.readUInt32LE(8) })
  }
  let headerBytes = 0
  for (let index = 0; index < blocks.length; index += 1) {
    if (index >= maxBlocks) throw new DamagedError('An object of the file has too many parts.')
    headerBytes += blocks[index]!.length
    if (headerBytes > maxHeaderBytes)
      throw new TooLargeError(`An object header of ${headerBytes} bytes is too large to inspect.`)
    const block = await readBlock(reader, blocks[index]!, isNew)
    for (const message of isNew ? newMessages(block, orderBytes) : oldMessages(block)) {
      if (messages.length >= maxMessages)
        throw new DamagedError('An object of the file has too many messages.')
      if (message.type === Message.continuation) {
        const [start, length] = [addressOf(message.body, 0), addressOf(message.body, 8)]
        // A block of the new version begins with a signature and ends with a checksum.
        blocks.push(isNew ? { at: start + 4, length: Math.max(0, length - 8) } : { at: start, length })
      } else messages.push(message)
    }
  }
  return messages
}

/**
 * Reads a block. Refuses a block of the new version without a checksum: after a power failure, a file may end with
 * zeros, which would count as empty messages.
 */
async function readBlock(
  reader: BoundedReader,
  { at, length }: { readonly at: number; readonly length: number },
  isNew: boolean,
): Promise<Buffer> {
  if (!isNew) return reader.readExactly(at, length)
  const bytes = await reader.readExactly(at, length + checksumBytes)
  if (bytes.readUInt32LE(length) === 0) throw new DamagedError('An object of the file has no checksum.')
  return bytes.subarray(0, length)
}

function* oldMessages(block: Buffer): Generator<HeaderMessage> {
  for (let at = 0; at + 8 <= block.length; ) {
    const length = block.readUInt16LE(at + 2)
    yield { type: block.readUInt16LE(at), body: block.subarray(at + 8, at + 8 + length) }
    at += 8 + length
  }
}

function* newMessages(block: Buffer, orderBytes: number): Generator<HeaderMessage> {
  const headBytes = 4 + orderBytes
  for (let at = 0; at + headBytes <= block.length; ) {
    const length = block.readUInt16LE(at + 1)
    yield { type: block[at]!, body: block.subarray(at + headBytes, at + headBytes + length) }
    at += headBytes + length
  }
}

/** Each group has one of these messages, even an empty group. */
const isOfGroup = ({ type }: HeaderMessage): boolean =>
  type === Message.symbolTable || type === Message.linkInfo

export async function readObject(reader: BoundedReader, at: number): Promise<Hdf5Object> {
  const messages = await readMessages(reader, at)
  const find = (type: number) => messages.find((message) => message.type === type)?.body
  if (messages.some(isOfGroup)) return { kind: 'group' }
  const [space, type] = [find(Message.dataspace), find(Message.datatype)]
  const isDataset = space !== undefined
  if (type === undefined || (isDataset && find(Message.layout) === undefined))
    throw new DamagedError('An object of the file is incomplete.')
  // An object with a type but without data is a named type.
  if (!isDataset) return { kind: 'other' }
  return { kind: 'dataset', type: typeName(type), dimensions: dimensionsOf(space) }
}

function dimensionsOf(body: Buffer): number[] {
  const [version, rank] = [body[0], body[1] ?? 0]
  const at = version === 1 ? 8 : 4
  if (rank > 32 || body.length < at + rank * 8) throw new DamagedError('A dataset has an invalid shape.')
  const dimensions = Array.from({ length: rank }, (_, index) => addressOf(body, at + index * 8))
  if (!dimensions.every(Number.isFinite)) throw new DamagedError('A dataset has an invalid shape.')
  return dimensions
}

function typeName(body: Buffer): string {
  if (body.length < 8) throw new DamagedError('A dataset has an invalid type.')
  const bits = body.readUInt32LE(4) * 8
  const isSigned = (body[1]! & 0x08) !== 0
  switch (body[0]! & 0x0f) {
    case 0:
      return `${isSigned ? 'int' : 'uint'}${bits}`
    case 1:
      return `float${bits}`
    case 3:
      return 'string'
    case 6:
      return 'compound'
    case 8:
      return 'enum'
    case 9:
      return 'variable length'
    default:
      return 'data'
  }
}

/** Lists the members of a group. Skips links to a different path or file. */
export async function listGroup(reader: BoundedReader, at: number, maxLinks: number): Promise<ObjectLink[]> {
  const links: ObjectLink[] = []
  const messages = await readMessages(reader, at)
  if (!messages.some(isOfGroup)) throw new DamagedError('A group of the file is incomplete.')
  for (const { type, body } of messages) {
    if (links.length >= maxLinks) break
    if (type === Message.symbolTable)
      links.push(...(await listSymbols(reader, addressOf(body, 0), addressOf(body, 8), maxLinks)))
    if (type === Message.link) {
      const link = readHardLink(body)
      if (link !== null) links.push(link)
    }
    if (type === Message.linkInfo) links.push(...(await listDense(reader, body, maxLinks)))
  }
  return links.slice(0, maxLinks)
}

/** Lists the members of a group that has too many for its header, in the newest layout. */
async function listDense(reader: BoundedReader, body: Buffer, maxLinks: number): Promise<ObjectLink[]> {
  const at = (body[1] ?? 0) & 0x01 ? 10 : 2
  const heapAt = addressOf(body, at)
  if (!Number.isFinite(heapAt)) return []
  const links: ObjectLink[] = []
  for await (const message of readDenseLinks(reader, heapAt, addressOf(body, at + 8))) {
    const link = readHardLink(message)
    if (link !== null) links.push(link)
    if (links.length >= maxLinks) break
  }
  // The file orders the links by the hashes of their names, so sort them by name.
  return links.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Null for a link to a different path or file. */
function readHardLink(body: Buffer): ObjectLink | null {
  const flags = body[1] ?? 0
  let at = 2
  if (flags & 0x08) {
    if (body[at] !== 0) return null
    at += 1
  }
  at += (flags & 0x04 ? 8 : 0) + (flags & 0x10 ? 1 : 0)
  const lengthBytes = 1 << (flags & 3)
  if (lengthBytes > 4 || body.length < at + lengthBytes)
    throw new DamagedError('A link of the file is invalid.')
  const length = body.readUIntLE(at, lengthBytes)
  at += lengthBytes
  return { name: nameOf(body.subarray(at, at + length)), at: addressOf(body, at + length) }
}

function nameOf(bytes: Buffer): string {
  if (bytes.length === 0) throw new DamagedError('A name inside the file is invalid.')
  return textOf(bytes)
}

async function listSymbols(
  reader: BoundedReader,
  treeAt: number,
  heapAt: number,
  maxLinks: number,
): Promise<ObjectLink[]> {
  const heapHead = await reader.readExactly(heapAt, 32)
  if (heapHead.toString('latin1', 0, 4) !== 'HEAP')
    throw new DamagedError('A group of the file has no names.')
  const heapBytes = addressOf(heapHead, 8)
  if (heapBytes > maxHeapBytes)
    throw new TooLargeError(`A group with ${heapBytes} bytes of names is too large to inspect.`)
  const names = await reader.readExactly(addressOf(heapHead, 24), heapBytes)
  const links: ObjectLink[] = []
  const nodes = [treeAt]
  for (let index = 0; index < nodes.length && links.length < maxLinks; index += 1) {
    if (index >= maxNodes) throw new DamagedError('A group of the file has too many nodes.')
    const head = await reader.readExactly(nodes[index]!, 24)
    const signature = head.toString('latin1', 0, 4)
    const count = head.readUInt16LE(6)
    if (signature === 'TREE') {
      const entries = await reader.readExactly(nodes[index]! + 24, count * 16)
      for (let i = 0; i < count && nodes.length <= maxNodes; i += 1)
        nodes.push(addressOf(entries, i * 16 + 8))
    } else if (signature === 'SNOD') {
      const entries = await reader.readExactly(nodes[index]! + 8, count * 40)
      for (let i = 0; i < count; i += 1) {
        // A forged name may take a millisecond, so check the time for each name.
        reader.checkTime()
        const nameAt = addressOf(entries, i * 40)
        const nameEnd = names.indexOf(0, nameAt)
        if (nameAt >= names.length || nameEnd === -1)
          throw new DamagedError('A name inside the file is invalid.')
        const objectAt = addressOf(entries, i * 40 + 8)
        // A link to a path has no object address, so skip it.
        if (Number.isFinite(objectAt))
          links.push({ name: nameOf(names.subarray(nameAt, nameEnd)), at: objectAt })
      }
    } else throw new DamagedError('A group of the file is invalid.')
  }
  return links
}
