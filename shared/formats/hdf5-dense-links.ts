import { type BoundedReader, DamagedError, TooLargeError } from './bounded-reader.ts'
import { addressOf, bytesForLimit, numberOf } from './hdf5-address.ts'
import { FractalHeap } from './hdf5-heap.ts'

/**
 * The type of a B-tree that orders the links of a group by the hashes of their names. Each record has a hash, then the
 * ID of the link in the heap.
 */
const linksByName = 5
const hashBytes = 4
/** A node begins with a signature, a version and a type, and ends with a checksum. */
const nodeHeadBytes = 6
const nodeOverheadBytes = 10
const maxNodeBytes = 1 << 20
const maxDepth = 16
const maxNodes = 1_000

/** `level` is the number of levels below the node. A leaf has level 0. */
type Node = { readonly at: number; readonly records: number; readonly level: number }

/**
 * Yields the link messages of a group with many members in the newest layout. A B-tree of version 2 lists the members,
 * and a fractal heap holds their links.
 */
export async function* readDenseLinks(
  reader: BoundedReader,
  heapAt: number,
  treeAt: number,
): AsyncGenerator<Buffer> {
  const heap = await FractalHeap.open(reader.fork(), heapAt)
  for await (const id of readHeapIds(reader, treeAt)) yield heap.read(id)
}

async function* readHeapIds(reader: BoundedReader, treeAt: number): AsyncGenerator<Buffer> {
  const head = await reader.readExactly(treeAt, 38)
  if (head.toString('latin1', 0, 4) !== 'BTHD' || head[5] !== linksByName)
    throw new DamagedError('A group of the file has no list of its members.')
  const nodeBytes = head.readUInt32LE(6)
  const recordBytes = head.readUInt16LE(10)
  const depth = head.readUInt16LE(12)
  if (nodeBytes > maxNodeBytes)
    throw new TooLargeError(`A node of ${nodeBytes} bytes is too large to inspect.`)
  if (recordBytes <= hashBytes || depth > maxDepth) throw new DamagedError('A group of the file is invalid.')
  const pointers = pointerSizes(nodeBytes, recordBytes, depth)
  const rootRecords = head.readUInt16LE(24)
  const nodes: Node[] =
    rootRecords === 0 ? [] : [{ at: addressOf(head, 16), records: rootRecords, level: depth }]
  let readNodes = 0
  for (let node = nodes.shift(); node !== undefined; node = nodes.shift()) {
    readNodes += 1
    if (readNodes > maxNodes) throw new TooLargeError('A group has too many members to inspect.')
    const isLeaf = node.level === 0
    const pointer = pointers[node.level]!
    const pointersAt = nodeHeadBytes + node.records * recordBytes
    const usedBytes = pointersAt + (isLeaf ? 0 : (node.records + 1) * pointer.bytes)
    if (usedBytes > nodeBytes) throw new DamagedError('A node of a group is invalid.')
    const bytes = await reader.readExactly(node.at, usedBytes)
    if (bytes.toString('latin1', 0, 4) !== (isLeaf ? 'BTLF' : 'BTIN'))
      throw new DamagedError('A node of a group is invalid.')
    for (let at = nodeHeadBytes; at < pointersAt; at += recordBytes)
      yield bytes.subarray(at + hashBytes, at + recordBytes)
    if (!isLeaf && readNodes + nodes.length + node.records + 1 > maxNodes)
      throw new TooLargeError('A group has too many members to inspect.')
    for (let at = pointersAt; at < usedBytes; at += pointer.bytes)
      nodes.push({
        at: addressOf(bytes, at),
        records: numberOf(bytes, at + 8, pointer.countBytes),
        level: node.level - 1,
      })
  }
}

/**
 * For each level: the size of a pointer to a child node, and the size of the record count in it. Both depend on how
 * many records can be below the pointer.
 */
function pointerSizes(
  nodeBytes: number,
  recordBytes: number,
  depth: number,
): { readonly bytes: number; readonly countBytes: number }[] {
  let total = Math.floor((nodeBytes - nodeOverheadBytes) / recordBytes)
  const countBytes = bytesForLimit(total)
  const sizes = [{ bytes: 0, countBytes }]
  let totalBytes = 0
  for (let level = 1; level <= depth; level += 1) {
    const bytes = 8 + countBytes + totalBytes
    const records = Math.floor((nodeBytes - nodeOverheadBytes - bytes) / (recordBytes + bytes))
    total = (records + 1) * total + records
    totalBytes = bytesForLimit(total)
    sizes.push({ bytes, countBytes })
  }
  return sizes
}
