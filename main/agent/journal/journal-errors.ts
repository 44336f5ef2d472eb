import Database from 'better-sqlite3'

/**
 * Sluice cannot open or move a file, because another program holds it or its permissions forbid this. Nothing is lost:
 * the next start retries.
 */
export class JournalHeldError extends Error {
  constructor(problem: string, code: string | undefined) {
    super(
      `${problem} (${code}): another program holds the file open, or its permissions forbid this. End backup, sync or virus-scan programs that use the data folder, then start Sluice again; nothing is lost.`,
    )
  }
}

/** The journal's disk is full. SQLite has rolled the transaction back, so nothing is half written. */
export class JournalFullError extends Error {
  constructor() {
    super('There is no free space left to write the journal.')
  }
}

const damageCodes = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']
const heldCodes = ['SQLITE_CANTOPEN', 'SQLITE_BUSY', 'SQLITE_PERM']
const fullCodes = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_SHMSIZE']

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Database.SqliteError && codes.some((code) => error.code.startsWith(code))

export const isDiskFull = (error: unknown): boolean =>
  error instanceof JournalFullError || hasCode(error, fullCodes)

/** SQLite or Sluice found the damage in the file itself. A failed read proves no damage. */
export const isDamageProven = (error: unknown): boolean => hasCode(error, damageCodes)

export const isHeld = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  hasCode(error, heldCodes)

/** Also true for I/O errors of the disk, because they make the connection unusable. Not true for a full disk. */
export const isDamaged = (error: unknown): boolean =>
  !isDiskFull(error) && hasCode(error, [...damageCodes, 'SQLITE_IOERR'])
