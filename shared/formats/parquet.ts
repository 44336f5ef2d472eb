import {
  type BoundedReader,
  DamagedError,
  EndOfFileError,
  MAX_READ_BYTES,
  TooLargeError,
} from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { cutText } from './text.ts'
import { ThriftReader, type ThriftValue } from './thrift-reader.ts'

const magic = 'PAR1'
const typeNames = ['boolean', 'int32', 'int64', 'int96', 'float', 'double', 'binary', 'fixed binary']
const maxSchemaElements = 20_000

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  if (reader.size < 12) return 'cut-off'
  const tail = await reader.readExactly(reader.size - 8, 8)
  if (tail.toString('latin1', 4) !== magic) return 'cut-off'
  return tail.readUInt32LE(0) <= reader.size - 12 ? 'marked' : 'cut-off'
}

/** Reads the footer: columns and the number of rows. */
async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  if ((await findEnd(reader)) !== 'marked') throw new EndOfFileError('The Parquet footer is missing.')
  const bytes = (await reader.readExactly(reader.size - 8, 4)).readUInt32LE(0)
  if (bytes > MAX_READ_BYTES) throw new TooLargeError(`A footer of ${bytes} bytes is too large to inspect.`)
  const footer = readFooter(await reader.readExactly(reader.size - 8 - bytes, bytes))
  const rows = footer.rows
  for (const [index, { name, type }] of columnsOf(footer.schema).entries())
    findings.channel(index, name, type).messages = rows
  if (rows === 0) findings.warn('no-messages', 'The recording holds no rows.')
  findings.completeness = 'complete'
}

type SchemaElement = { name: string; type: number | null; children: number }
type Footer = { readonly schema: readonly SchemaElement[]; readonly rows: number }

/**
 * Parquet stores the footer as the Thrift structure `FileMetaData`. Its field 2 is the schema, and its field 3 is the
 * number of rows. Sluice skips the row groups.
 */
function readFooter(bytes: Buffer): Footer {
  const schema: SchemaElement[] = []
  let rows: number | null = null
  new ThriftReader(bytes).struct((field, value) => {
    if (field === 2) {
      // A forged footer could repeat the list to get around `maxSchemaElements`.
      if (schema.length > 0) throw new DamagedError('The Parquet footer repeats its columns.')
      value.list(maxSchemaElements, (element) => {
        schema.push(readElement(element))
      })
    } else if (field === 3) rows = value.number()
    else value.skip()
  })
  if (schema.length === 0 || rows === null || rows < 0)
    throw new DamagedError('The Parquet footer is incomplete.')
  return { schema, rows }
}

/** In Parquet's Thrift structure `SchemaElement`, field 1 is the type, 4 the name and 5 the number of children. */
function readElement(element: ThriftValue): SchemaElement {
  const result: SchemaElement = { name: '', type: null, children: 0 }
  element.struct((field, value) => {
    if (field === 1) result.type = value.number()
    else if (field === 4) result.name = value.text()
    else if (field === 5) result.children = value.number()
    else value.skip()
  })
  return result
}

/** The schema is a tree in depth-first order. Its root, the first element, is not a column. */
function columnsOf(schema: readonly SchemaElement[]): { name: string; type: string | null }[] {
  const columns: { name: string; type: string | null }[] = []
  const openNodes: { path: string; remainingChildren: number }[] = [
    { path: '', remainingChildren: schema[0]!.children },
  ]
  for (const { name, type, children } of schema.slice(1)) {
    while (openNodes.length > 1 && openNodes.at(-1)!.remainingChildren <= 0) openNodes.pop()
    const parent = openNodes.at(-1)!
    parent.remainingChildren -= 1
    const path = parent.path === '' ? name : cutText(`${parent.path}.${name}`)
    if (children > 0 && openNodes.length < 20) openNodes.push({ path, remainingChildren: children })
    else columns.push({ name: path, type: type === null ? null : (typeNames[type] ?? null) })
  }
  return columns
}

export const parquet: Format = {
  name: 'parquet',
  matches: (head) => head.toString('latin1', 0, 4) === magic,
  findEnd,
  inspect,
}
