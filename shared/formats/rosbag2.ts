import { plural } from '../words/format.ts'
import { type BoundedReader, DamagedError, EndOfFileError } from './bounded-reader.ts'
import type { ChannelTally, Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { declaredMessagesOf, listingOf } from './rosbag2-metadata.ts'
import {
  readColumns,
  readSqliteHeader,
  SQLITE_HEADER_BYTES,
  SQLITE_MAGIC,
  SqliteTables,
  type SqliteValue,
} from './sqlite-table.ts'
import { textOf } from './text.ts'

const SCHEMA_PAGE = 1
/** A bag has about six tables and indexes. */
const MAX_SCHEMA_ROWS = 100

/** The root pages of the tables that a bag has. */
type BagTables = { readonly topics: number; readonly messages: number }

/** The first columns of each table, in every version of rosbag2. */
const tableColumns: Readonly<Record<keyof BagTables, RegExp>> = {
  topics: /^[^(]*\(\s*id integer primary key[^,]*,\s*name\b[^,]*,\s*type\b/i,
  messages: /^[^(]*\(\s*id integer primary key[^,]*,\s*topic_id\b[^,]*,\s*timestamp\b/i,
}

/** Null if the database is not a bag. */
async function findBagTables(tables: SqliteTables): Promise<BagTables | null> {
  const roots: { -readonly [Name in keyof BagTables]?: number } = {}
  let schemaRows = 0
  for await (const { payload } of tables.rows(SCHEMA_PAGE)) {
    schemaRows += 1
    const [kind, name, , root, sql] = readColumns(payload, 5)
    const table = textIn(name)
    if (textIn(kind) === 'table' && (table === 'topics' || table === 'messages') && typeof root === 'number')
      if (tableColumns[table].test(textIn(sql))) roots[table] = root
    if (roots.topics !== undefined && roots.messages !== undefined)
      return { topics: roots.topics, messages: roots.messages }
    if (schemaRows >= MAX_SCHEMA_ROWS) break
  }
  return null
}

const textIn = (value: SqliteValue | undefined): string => (value instanceof Buffer ? textOf(value) : '')

/**
 * A bag, or a database of a different program. `isCut`: the database lacks its end, or has an SQLite journal beside
 * it.
 */
type BagDatabase = {
  readonly isCut: boolean
  readonly sqlite: SqliteTables | null
  readonly tables: BagTables | null
}

async function openDatabase(reader: BoundedReader): Promise<BagDatabase> {
  const isCut = await isDatabaseCut(reader)
  const header = reader.size < SQLITE_HEADER_BYTES ? null : await readSqliteHeader(reader)
  if (header === null || !header.isUtf8) return { isCut, sqlite: null, tables: null }
  const sqlite = new SqliteTables(reader.fork(), header)
  try {
    return { isCut, sqlite, tables: await findBagTables(sqlite) }
  } catch (error) {
    if (isCut && isAboutBytes(error)) return { isCut, sqlite, tables: null }
    throw error
  }
}

const isAboutBytes = (error: unknown): boolean =>
  error instanceof DamagedError || error instanceof EndOfFileError

/**
 * Whether the recorder stopped before it closed this file, which the metadata does not list. The recorder closes each
 * file before it begins the next one, so this can only be the newest file of the bag. Wrong while the recorder is
 * still writing the file, but the settle stage ignores the result while a program has the file open.
 */
async function wasAbandoned(reader: BoundedReader): Promise<boolean> {
  // The service has only this file of the bag.
  if (!reader.canOpenBeside) return false
  const [, name, number] = /^(.+)_(\d{1,9})\.db3$/i.exec(reader.source.name) ?? []
  if (name === undefined) return true
  return (await reader.openBeside(`${name}_${Number(number) + 1}.db3`)) === null
}

async function findDatabaseEnd(reader: BoundedReader): Promise<EndMark> {
  const { isCut, tables } = await openDatabase(reader)
  if (isCut) return 'cut-off'
  const listing = await listingOf(reader)
  if (listing === 'listed') return 'marked'
  return listing === 'not-listed' && tables !== null && (await wasAbandoned(reader)) ? 'cut-off' : 'unmarked'
}

async function isDatabaseCut(reader: BoundedReader): Promise<boolean> {
  if (reader.size < SQLITE_HEADER_BYTES) return true
  const header = await readSqliteHeader(reader)
  if (header === null || reader.size % header.pageBytes !== 0) return true
  if (header.declaredPages * header.pageBytes > reader.size) return true
  for (const suffix of ['-journal', '-wal']) {
    const leftover = await reader.openBeside(reader.source.name + suffix)
    if (leftover !== null && leftover.size > 0) return true
  }
  return false
}

async function inspectDatabase(reader: BoundedReader, findings: Findings): Promise<void> {
  const { isCut, sqlite, tables } = await openDatabase(reader)
  if (isCut) findings.completeness = 'cut-off'
  const listing = await listingOf(reader)
  if (sqlite === null || tables === null) {
    if (listing === 'listed' && !isCut) throw new DamagedError('The database lacks the tables of a bag.')
    return
  }
  if (isCut || (listing === 'not-listed' && (await wasAbandoned(reader)))) {
    findings.completeness = 'cut-off'
    return readUntilCut(sqlite, tables, findings)
  }
  const messages = await readBag(sqlite, tables, findings)
  findings.completeness = listing === 'unreadable' ? 'unknown' : 'complete'
  const declaredMessages = listing === 'listed' ? await declaredMessagesOf(reader) : null
  if (declaredMessages !== null && declaredMessages !== messages)
    findings.warn(
      'metadata-differs',
      `metadata.yaml lists ${plural(declaredMessages, 'message')}. The file holds ${messages}.`,
    )
}

/** Does not report a broken page, because the end of the database is missing anyway. */
async function readUntilCut(sqlite: SqliteTables, tables: BagTables, findings: Findings): Promise<void> {
  try {
    await readBag(sqlite, tables, findings)
  } catch (error) {
    if (!isAboutBytes(error)) throw error
  }
}

/** Returns the number of messages. */
async function readBag(sqlite: SqliteTables, tables: BagTables, findings: Findings): Promise<number> {
  // A set stays small: beyond the limit of the findings, all topics share one tally.
  const topics = new Set<ChannelTally>()
  for await (const { rowId, payload } of sqlite.rows(tables.topics)) {
    const [, name, type] = readColumns(payload, 3)
    topics.add(findings.channel(rowId, textIn(name), textIn(type)))
  }
  let messages = 0
  for await (const { payload } of sqlite.rows(tables.messages)) {
    const [, topic, time] = readColumns(payload, 3)
    if (typeof topic !== 'number' || typeof time !== 'number')
      throw new DamagedError('A message of the bag is damaged.')
    messages += 1
    findings.channel(topic).addMessage(time / 1e6)
  }
  for (const topic of topics) if (topic.firstMs === null) topic.messages = 0
  if (messages === 0) {
    findings.durationS = 0
    findings.warn('no-messages', 'The recording holds no messages.')
  }
  return messages
}

export const rosbag2Database: Format = {
  name: 'rosbag2',
  matches: (head, fileName) => fileName.endsWith('.db3') && head.toString('latin1', 0, 16) === SQLITE_MAGIC,
  findEnd: findDatabaseEnd,
  inspect: inspectDatabase,
}
