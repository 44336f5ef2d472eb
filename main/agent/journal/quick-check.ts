import path from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { isDamageProven } from './journal-errors.ts'
import { FILE, sizes } from './journal-files.ts'

/** Sluice checks a journal up to this size without a thread. */
const CHECK_IN_PROCESS_MAX_BYTES = 1024 * 1024

/**
 * The result of SQLite's check: "ok", or a description of the damage. Reads the whole file through its own connection.
 */
export const quickCheck = (dataFolder: string): string => {
  try {
    const db = new Database(path.join(dataFolder, FILE), { readonly: true, timeout: 5_000 })
    try {
      return String(db.pragma('quick_check(1)', { simple: true }))
    } finally {
      db.close()
    }
  } catch (error) {
    if (isDamageProven(error)) return (error as Error).message
    throw error
  }
}

/**
 * Checks in a thread, because checking a large journal takes seconds and would block the event loop. Checking a small
 * journal takes less time than starting a thread.
 */
export const quickCheckInThread = async (dataFolder: string): Promise<string> => {
  if (sizes(dataFolder).bytes <= CHECK_IN_PROCESS_MAX_BYTES) return quickCheck(dataFolder)
  return await new Promise((resolve, reject) => {
    const entry = new URL(`./check-worker${path.extname(import.meta.filename)}`, import.meta.url)
    new Worker(entry, { name: 'journal-check', workerData: dataFolder, execArgv: [] })
      .once('message', resolve)
      .once('error', reject)
      .once('exit', (code) => reject(new Error(`the journal check exited with code ${code}`)))
  })
}
