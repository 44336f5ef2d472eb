import { zstdCompressSync } from 'node:zlib'

const MAGIC = Buffer.from('\x89MCAP0\r\n', 'latin1')

const number = (value: number, bytes: 2 | 4 | 8): Buffer => {
  const buffer = Buffer.alloc(bytes)
  if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value))
  else buffer.writeUIntLE(value, 0, bytes)
  return buffer
}
const mcapText = (text: Buffer): Buffer => Buffer.concat([number(text.length, 4), text])
const mcapRecord = (op: number, ...body: Buffer[]): Buffer => {
  const bytes = Buffer.concat(body)
  return Buffer.concat([Buffer.from([op]), number(bytes.length, 8), bytes])
}
const empty = Buffer.alloc(0)
/** The first character is outside Latin-1, so JavaScript stores every character of the name in two bytes. */
const longName = (bytes: number): Buffer => Buffer.concat([Buffer.from('Ā'), Buffer.alloc(bytes, 'a')])

/** Each chunk holds one channel with a long name. Compressed, the name takes almost no bytes. */
export function mcapOfLongNames(channels: number, nameBytes: number): Buffer {
  const chunk = (id: number) => {
    const records = mcapRecord(
      0x04,
      number(id, 2),
      number(0, 2),
      mcapText(longName(nameBytes)),
      mcapText(empty),
      number(0, 4),
    )
    const packed = zstdCompressSync(records)
    const times = [number(1, 8), number(2, 8)]
    const sizes = [number(records.length, 8), number(0, 4)]
    return mcapRecord(
      0x06,
      ...times,
      ...sizes,
      mcapText(Buffer.from('zstd')),
      number(packed.length, 8),
      packed,
    )
  }
  const header = mcapRecord(0x01, mcapText(empty), mcapText(empty))
  return Buffer.concat([MAGIC, header, ...Array.from({ length: channels }, (_, index) => chunk(index + 1))])
}

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}
const thriftNumber = (value: number): Buffer => varint(value * 2)

const schemaElement = (name: Buffer, children: number): Buffer =>
  Buffer.concat([
    Buffer.from([0x48]),
    varint(name.length),
    name,
    ...(children > 0 ? [Buffer.from([0x15]), thriftNumber(children)] : []),
    Buffer.from([0]),
  ])
const schemaList = (head: number, elements: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([head, 0xfc]), varint(elements.length), ...elements])
const parquetOf = (...fields: Buffer[]): Buffer => {
  const footer = Buffer.concat([...fields, Buffer.from([0])])
  return Buffer.concat([Buffer.from('PAR1'), footer, number(footer.length, 4), Buffer.from('PAR1')])
}
const rows = Buffer.concat([Buffer.from([0x16]), thriftNumber(5)])

/** All columns are in one group with a long name, so the name of the group is part of each path. */
export function parquetWithLongGroup(columns: number, nameBytes: number): Buffer {
  const names = Array.from({ length: columns }, (_, index) => schemaElement(Buffer.from(`Ā${index}`), 0))
  const root = schemaElement(Buffer.from('r'), 1)
  return parquetOf(
    schemaList(0x29, [root, schemaElement(Buffer.alloc(nameBytes, 'a'), columns), ...names]),
    rows,
  )
}

/** Repeats the list of columns, because Sluice limits the length of each list. */
export function parquetOfRepeatedSchemas(lists: number, columns: number): Buffer {
  const emptyElements = Array.from({ length: columns }, () => Buffer.from([0]))
  // Uses the long form of the field header, because the short form can only increase the field number.
  const list = (index: number) =>
    index === 0
      ? schemaList(0x29, emptyElements)
      : Buffer.concat([Buffer.from([0x09]), thriftNumber(2), schemaList(0x09, emptyElements).subarray(1)])
  return parquetOf(...Array.from({ length: lists }, (_, index) => list(index)), rows)
}

const OBJECT_HEADER_BYTES = 16

/** One group whose members all have the same long name. */
export function hdf5OfLongNames(members: number, nameBytes: number): Buffer {
  const superblock = Buffer.alloc(96)
  superblock.write('\x89HDF\r\n\x1a\n', 'latin1')
  superblock[13] = 8
  superblock[14] = 8
  const rootAt = superblock.length
  const symbolTable = Buffer.concat([number(0x11, 2), number(16, 2), Buffer.alloc(4)])
  const heapAt = rootAt + OBJECT_HEADER_BYTES + symbolTable.length + 16
  const namesAt = heapAt + 32
  const nodeAt = namesAt + nameBytes + 1
  const datasetAt = nodeAt + 8 + members * 40
  const header = (...messages: Buffer[]) => {
    const body = Buffer.concat(messages)
    return Buffer.concat([Buffer.from([1]), Buffer.alloc(7), number(body.length, 4), Buffer.alloc(4), body])
  }
  const root = header(symbolTable, number(nodeAt, 8), number(heapAt, 8))
  const heap = [
    Buffer.from('HEAP'),
    Buffer.alloc(4),
    number(nameBytes + 1, 8),
    Buffer.alloc(8),
    number(namesAt, 8),
  ]
  const entry = Buffer.concat([number(0, 8), number(datasetAt, 8), Buffer.alloc(24)])
  const node = [
    Buffer.from('SNOD'),
    Buffer.alloc(2),
    number(members, 2),
    ...Array.from({ length: members }, () => entry),
  ]
  const space = [number(0x01, 2), number(8, 2), Buffer.alloc(4), Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])]
  const type = [number(0x03, 2), number(8, 2), Buffer.alloc(4), Buffer.from([0x10, 0, 0, 0, 4, 0, 0, 0])]
  const layout = [number(0x08, 2), number(8, 2), Buffer.alloc(12)]
  const rest = [
    root,
    ...heap,
    Buffer.alloc(nameBytes, 'a'),
    Buffer.alloc(1),
    ...node,
    header(...space, ...type, ...layout),
  ]
  const body = Buffer.concat(rest)
  superblock.writeBigUInt64LE(BigInt(superblock.length + body.length), 24 + 16)
  superblock.writeBigUInt64LE(BigInt(rootAt), 24 + 32 + 8)
  return Buffer.concat([superblock, body])
}
