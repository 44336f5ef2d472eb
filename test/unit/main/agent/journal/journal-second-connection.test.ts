import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Journal,
  openJournal,
  openJournalForCommand,
} from '../../../../../main/agent/journal/journal.ts'
import { pathsOf } from '../../../../../shared/paths/paths.ts'

let folder: string
let journal: Journal
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-beside-'))
  journal = openJournal(folder, Date.now, pathsOf(process.platform)).journal
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

const journalFile = () => path.join(folder, 'journal.db')

test('no other connection can write between the read and the write of a transaction', () => {
  const other = new Database(journalFile(), { timeout: 0 })
  try {
    journal.transaction(() => {
      expect(journal.station.currentPause()).toBeNull()
      expect(() => other.pragma('user_version = 99')).toThrow('database is locked')
      journal.station.pause(null)
    })
    expect(journal.station.currentPause()).not.toBeNull()
  } finally {
    other.close()
  }
})

const openCommand = () => {
  const command = openJournalForCommand(folder, Date.now, pathsOf(process.platform))
  return { station: command.station, close: () => command.close() }
}

/** A worker that writes all the time, like an agent that polls many sessions. */
const busyAgentScript = `
  const { workerData, parentPort } = require('node:worker_threads')
  const Database = require('better-sqlite3')
  const db = new Database(workerData.file, { timeout: 60000 })
  const write = db.prepare("INSERT OR REPLACE INTO station (key, value) VALUES ('busy', ?)")
  let n = 0
  const turn = () => {
    for (let i = 0; i < 20; i += 1) write.run(String((n += 1)))
    setImmediate(turn)
  }
  turn()
  parentPort.postMessage('writes')
`

test('a command can write even if an agent writes all the time', async () => {
  const worker = new Worker(busyAgentScript, { eval: true, workerData: { file: journalFile() } })
  const { station, close } = openCommand()
  try {
    await once(worker, 'message')
    for (let round = 0; round < 500; round += 1) {
      station.pause(null)
      station.resume()
    }
    expect(station.currentPause()).toBeNull()
  } finally {
    close()
    await worker.terminate()
  }
})
