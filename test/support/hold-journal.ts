import { once } from 'node:events'
import path from 'node:path'
import { Worker } from 'node:worker_threads'

const holder = `
  const { workerData, parentPort } = require('node:worker_threads')
  const Database = require('better-sqlite3')
  const db = new Database(workerData, { timeout: 60000 })
  db.exec('BEGIN IMMEDIATE')
  parentPort.postMessage('held')
  parentPort.once('message', () => {
    db.exec('ROLLBACK')
    db.close()
  })
`

/** Another program that keeps everybody else from writing, also while the loop of this one stands still. */
export const holdJournal = async (dataFolder: string): Promise<{ readonly release: () => Promise<void> }> => {
  const worker = new Worker(holder, { eval: true, workerData: path.join(dataFolder, 'journal.db') })
  await once(worker, 'message')
  return {
    release: async () => {
      const ended = once(worker, 'exit')
      worker.postMessage('let go')
      await ended
    },
  }
}
