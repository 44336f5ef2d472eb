import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { migrations } from './migrations.ts'

export type Db = Database.Database

export type OpenProblem = 'in-use' | 'not-ours' | 'newer-version' | 'older-version'
export type OpenResult = { readonly kind: 'open'; readonly db: Db } | { readonly kind: OpenProblem }

export type OpenOptions = {
  /**
   * `exclusive`: SQLite refuses every other process. `shared`: commands may use the database while the server runs.
   * They wait for the server's transactions, which take milliseconds.
   */
  readonly access: 'exclusive' | 'shared'
  /**
   * False for commands, because they must not change the tables of a running server. An empty or older database is
   * then a problem.
   */
  readonly mayMigrate: boolean
}

/** How long a transaction waits for a transaction of a different process. */
const sharedTimeoutMs = 5_000

/** Marks the file as ours, so that the server refuses a foreign database instead of migrating it. */
const applicationId = 0x534c5342

/**
 * Opens the database of a data folder. SQLite's exclusive lock ends with the process, so a killed process never leaves
 * its folder locked.
 */
export function openDatabase(file: string, { access, mayMigrate }: OpenOptions): OpenResult {
  const db = new Database(file, { timeout: access === 'shared' ? sharedTimeoutMs : 0 })
  try {
    db.function('sha256_hex', (text) => createHash('sha256').update(String(text)).digest('hex'))
    if (access === 'exclusive') db.pragma('locking_mode = EXCLUSIVE')
    if (mayMigrate) db.pragma('journal_mode = WAL')
    // In WAL mode, NORMAL can lose the last commits after a power failure, and so an acknowledged part.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    // Otherwise SQLite writes the undo pages of each savepoint to a temporary file.
    db.pragma('temp_store = MEMORY')
    const problem = mayMigrate ? prepareSchema(db) : findSchemaProblem(db)
    if (problem === null) return { kind: 'open', db }
    db.close()
    return { kind: problem }
  } catch (error) {
    db.close()
    if (isBusyError(error)) return { kind: 'in-use' }
    if ((error as { code?: string }).code === 'SQLITE_NOTADB') return { kind: 'not-ours' }
    throw error
  }
}

export function isBusyError(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? ''
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')
}

function prepareSchema(db: Db): OpenProblem | null {
  return db
    .transaction((): OpenProblem | null => {
      const problem = findSchemaProblem(db)
      if (problem !== 'older-version') return problem
      const version = db.pragma('user_version', { simple: true }) as number
      for (const sql of migrations.slice(version)) db.exec(sql)
      db.pragma(`application_id = ${applicationId}`)
      db.pragma(`user_version = ${migrations.length}`)
      return null
    })
    .exclusive()
}

function findSchemaProblem(db: Db): OpenProblem | null {
  const version = db.pragma('user_version', { simple: true }) as number
  const id = db.pragma('application_id', { simple: true }) as number
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables > 0 && id !== applicationId) return 'not-ours'
  if (version > migrations.length) return 'newer-version'
  return version < migrations.length ? 'older-version' : null
}
