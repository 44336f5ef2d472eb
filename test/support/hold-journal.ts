import { once } from 'node:events'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

/**
 * Simulates a second program that writes to the journal. It runs in a worker, so that it can finish its write while the
 * event loop of the test is blocked.
 */
const workerCode = `
  const { workerData, parentPort } = require('node:worker_threads')
  const Database = require('better-sqlite3')
  const db = new Database(workerData.file, { timeout: 60000 })
  db.exec('BEGIN IMMEDIATE')
  parentPort.postMessage('writes')
  const end = () => {
    db.exec(workerData.sql)
    db.exec('COMMIT')
    db.close()
  }
  if (workerData.sql === '') parentPort.once('message', end)
  else setTimeout(end, 1000)
`

const startWriter = async (dataFolder: string, sql: string): Promise<Worker> => {
  const workerData = { file: path.join(dataFolder, 'journal.db'), sql }
  const worker = new Worker(workerCode, { eval: true, workerData })
  await once(worker, 'message')
  return worker
}

/** Takes the write lock of the journal. Nothing else can write until the caller releases the lock. */
export const holdJournal = async (dataFolder: string): Promise<{ readonly release: () => Promise<void> }> => {
  const worker = await startWriter(dataFolder, '')
  return {
    release: async () => {
      const exited = once(worker, 'exit')
      worker.postMessage('release')
      await exited
    },
  }
}

/** Starts a write that takes a second, and resolves once the write has begun. Later writers wait until it ends. */
export const startSlowWrite = async (
  dataFolder: string,
  sql: string,
): Promise<{ readonly written: Promise<unknown> }> => {
  const worker = await startWriter(dataFolder, sql)
  return { written: once(worker, 'exit') }
}
