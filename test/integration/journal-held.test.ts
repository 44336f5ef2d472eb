import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { backUp } from '../../main/agent/journal/backup.ts'
import { openDatabase } from '../../main/agent/journal/database.ts'
import { isDamaged, isDiskFull } from '../../main/agent/journal/journal-errors.ts'
import { takeAgentLock } from '../../main/agent/journal/lock.ts'
import { writeDurably } from '../../main/local-files/durable-file.ts'
import { type FileSteps, fileSteps } from '../../main/local-files/file-in-use.ts'
import { pathsOf } from '../../shared/paths/paths.ts'

let folder: string
let openDb: Database.Database | null
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-held-'))
  openDb = null
})
afterEach(() => {
  openDb?.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = (name: string) => path.join(folder, name)
const atMs = Date.parse('2026-03-12T07:42:00Z')
const openJournal = (steps?: FileSteps) => {
  const journal = openDatabase(folder, atMs, pathsOf(process.platform), steps)
  openDb = journal.db
  return journal
}

/**
 * File operations as on Windows while another program has the file `name` open. They refuse to replace, move,
 * delete or write this file, and to copy it unless `mayRead` is true. After `times` refusals, they succeed.
 */
const stepsWhileHeld = (
  name: string,
  options: { readonly times?: number; readonly mayRead?: boolean } = {},
) => {
  let refusalsLeft = options.times ?? Number.POSITIVE_INFINITY
  const pauses: number[] = []
  const refuse = (...paths: readonly string[]) => {
    if (!paths.some((filePath) => path.basename(filePath) === name) || refusalsLeft <= 0) return
    refusalsLeft -= 1
    throw Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY', syscall: 'rename' })
  }
  const steps: FileSteps = {
    rename: (from, to) => {
      refuse(from, to)
      fileSteps.rename(from, to)
    },
    remove: (filePath) => {
      refuse(filePath)
      fileSteps.remove(filePath)
    },
    copy: (from, to) => {
      if (options.mayRead !== true) refuse(from, to)
      fileSteps.copy(from, to)
    },
    openToWrite: (filePath) => {
      refuse(filePath)
      return fileSteps.openToWrite(filePath)
    },
    pause: (ms) => void pauses.push(ms),
    pauseAsync: async (ms) => void pauses.push(ms),
  }
  return { steps, pauses }
}

const failureOf = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('the work did not fail')
    },
    (error: Error) => error,
  )

describe('a backup', () => {
  const mark = "INSERT INTO station VALUES ('mark', '1')"

  test('is replaced after a short wait if another program holds the old backup briefly', async () => {
    const { db } = openJournal()
    await backUp(db, folder)
    const { steps, pauses } = stepsWhileHeld('journal.backup.db', { times: 3 })
    await backUp(db, folder, steps)
    expect(pauses).toHaveLength(3)
  })

  test('fails with one sentence if another program keeps the old backup open, and leaves no temporary files', async () => {
    const { db } = openJournal()
    await backUp(db, folder)
    const error = await failureOf(backUp(db, folder, stepsWhileHeld('journal.backup.db').steps))
    expect(error.message).toContain(
      'journal.backup.db cannot be replaced (EBUSY): another program holds it open',
    )
    expect([isDamaged(error), isDiskFull(error)]).toEqual([false, false])
    expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([])
  })

  test('is created again if a kill left it half written', async () => {
    const { db } = openJournal()
    db.exec(mark)
    for (const suffix of ['', '-journal', '-wal'])
      writeFileSync(file(`journal.backup.db.new${suffix}`), Buffer.alloc(9000, 0xa5))
    await backUp(db, folder)
    expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([])
    db.close()
    truncateSync(file('journal.db'), 0)
    const restored = openJournal()
    expect(restored.damage).toMatchObject({ restored: true })
    expect(restored.db.prepare("SELECT 1 AS found FROM station WHERE key = 'mark'").get()).toEqual({
      found: 1,
    })
  })

  test('that fails does not mark the journal as damaged', async () => {
    const { db } = openJournal()
    mkdirSync(file('journal.backup.db.new'))
    const error = await failureOf(backUp(db, folder))
    expect(error.message).toContain('journal.backup.db could not be written')
    expect(isDamaged(error)).toBe(false)
  })
})

describe('a damaged journal', () => {
  const damageAfterBackup = async () => {
    const { db } = openJournal()
    await backUp(db, folder)
    db.close()
    writeFileSync(file('journal.db'), Buffer.alloc(9000, 0xa5))
  }

  test('is restored from a copy of the backup if another program holds the backup', async () => {
    await damageAfterBackup()
    const { steps } = stepsWhileHeld('journal.backup.db', { mayRead: true })
    expect(openJournal(steps).damage).toMatchObject({ restored: true })
    expect(existsSync(file('journal.restoring.db'))).toBe(false)
  })

  test.each([
    [
      'its backup',
      'journal.backup.db',
      /^The journal is damaged, and its backup .*journal\.backup\.db cannot be read \(EBUSY\)/,
    ],
    [
      'the journal itself',
      'journal.db',
      /^The journal is damaged, and .*journal\.db cannot be moved \(EBUSY\)/,
    ],
  ])(
    'is reported while another program holds %s, and repaired at the next start',
    async (_what, name, sentence) => {
      await damageAfterBackup()
      const start = () => openJournal(stepsWhileHeld(name).steps)
      expect(start).toThrow(sentence)
      expect(start).toThrow('then start Sluice again; nothing is lost.')
      expect(openJournal().damage).toMatchObject({ restored: true })
    },
  )

  test('is repaired after a short wait if another program holds it briefly', async () => {
    await damageAfterBackup()
    const { steps, pauses } = stepsWhileHeld('journal.db', { times: 4 })
    expect(openJournal(steps).damage).toMatchObject({ restored: true })
    expect(pauses).toHaveLength(4)
  })

  test('is restored even if another program holds the file that marks the damage', async () => {
    await damageAfterBackup()
    writeFileSync(file('journal.suspect'), '')
    expect(openJournal(stepsWhileHeld('journal.suspect').steps).damage).toMatchObject({ restored: true })
  })
})

test('a journal that cannot be opened is explained in one sentence', () => {
  mkdirSync(file('journal.db'))
  expect(() => openJournal()).toThrow(
    /^The journal .*journal\.db cannot be opened \(SQLITE_CANTOPEN\w*\): another program/,
  )
})

test('a lock file with content still works as a lock', () => {
  writeFileSync(file('agent.lock'), Buffer.alloc(4096, 0x5a))
  const lock = takeAgentLock(folder)
  expect(() => takeAgentLock(folder, { timeoutMs: 0 })).toThrow('Another Sluice agent already uses')
  lock.release()
  takeAgentLock(folder).release()
})

/**
 * Holds the lock in another thread. After a message, the holder waits, writes the file `mark` unless it is null,
 * and releases the lock.
 */
const holdLock = async (mark: string | null = null): Promise<Worker> => {
  const holder = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const db = new (require('better-sqlite3'))(workerData.lock)
     db.exec('BEGIN EXCLUSIVE')
     parentPort.postMessage('held')
     parentPort.once('message', () => setTimeout(() => {
       if (workerData.mark !== null) require('node:fs').writeFileSync(workerData.mark, '{"folder": "/new"}')
       db.close()
     }, 200))`,
    { eval: true, workerData: { lock: file('agent.lock'), mark } },
  )
  await once(holder, 'message')
  return holder
}

test('an agent waits until the system releases the lock of a killed agent', async () => {
  const holder = await holdLock()
  expect(() => takeAgentLock(folder, { timeoutMs: 0 })).toThrow(
    'Another Sluice agent already uses the data folder',
  )
  holder.postMessage('release')
  takeAgentLock(folder, { timeoutMs: 60_000 }).release()
  await once(holder, 'exit')
})

test('an agent that waits for a lock does not get it if the station moves away', async () => {
  const holder = await holdLock(file('moved.json'))
  holder.postMessage('release')
  expect(() => takeAgentLock(folder, { timeoutMs: 60_000 })).toThrow('has moved to /new')
  // The refused agent does not keep the lock.
  takeAgentLock(folder, { timeoutMs: 0, evenIfMoved: true }).release()
  await once(holder, 'exit')
})

describe('a durable write', () => {
  test('replaces a file after another program has held it briefly', () => {
    writeFileSync(file('settings.json'), 'old')
    const { steps, pauses } = stepsWhileHeld('settings.json', { times: 2 })
    writeDurably(file('settings.json'), 'new', steps)
    expect(pauses).toHaveLength(2)
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  test('keeps the old file, and leaves no temporary file, if another program never releases the old one', () => {
    writeFileSync(file('settings.json'), 'old')
    expect(() =>
      writeDurably(file('settings.json'), 'svc_test_key', stepsWhileHeld('settings.json').steps),
    ).toThrow('EBUSY')
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  test('succeeds although a virus scanner still holds the temporary file of the previous write', () => {
    const { steps, pauses } = stepsWhileHeld('settings.json.new', { times: 1 })
    writeDurably(file('settings.json'), 'new', steps)
    expect([readdirSync(folder), pauses.length]).toEqual([['settings.json'], 1])
  })
})
