import { once } from 'node:events'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

/** A different program that writes to the journal, even while the event loop of this one is blocked. */
const program = `
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

const start = async (dataFolder: string, sql: string): Promise<Worker> => {
  const workerData = { file: path.join(dataFolder, 'journal.db'), sql }
  const worker = new Worker(program, { eval: true, workerData })
  await once(worker, 'message')
  return worker
}

/** Nobody else can write until the lock is released. */
export const holdJournal = async (dataFolder: string): Promise<{ readonly release: () => Promise<void> }> => {
  const worker = await start(dataFolder, '')
  return {
    release: async () => {
      const ended = once(worker, 'exit')
      worker.postMessage('let go')
      await ended
    },
  }
}

/** Resolves once it has begun to write; later writers come after it. */
export const writeBefore = async (
  dataFolder: string,
  sql: string,
): Promise<{ readonly written: Promise<unknown> }> => {
  const worker = await start(dataFolder, sql)
  return { written: once(worker, 'exit') }
}
