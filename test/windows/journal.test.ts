import { readdirSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { backUpSchema } from '../../main/agent/journal/schema-backup.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'
import { lockFile } from './locked-file.ts'

let station: Station
let release: (() => void) | null = null
afterEach(() => {
  release?.()
  release = null
  return station.close()
})

const random = seeded(14)
const record = (name: string) => writeRandomFile(path.join(station.recordings, name), 1200, random)
const inData = (name: string) => path.join(station.data, name)

/** Matches Node's message for a failed system call. Users must get a sentence instead. */
const rawError = /EBUSY: |EPERM: |^\s+at |syscall/m

test('uploads while another program holds the backup of the journal open, and leaves no partial copy', async () => {
  station = await Station.open()
  await record('first.bin')
  expect(await station.runToIdle()).toBe(0)
  release = lockFile(inData('journal.backup.db'))
  await record('second.bin')

  const agent = station.agent('--until-idle')

  expect(await agent.ended).toBe(0)
  expect(agent.stderr).not.toMatch(rawError)
  await station.expectAllSafe()
  expect(readdirSync(station.data).filter((name) => name.includes('.new'))).toEqual([])
})

test('reports a damaged journal while another program locks its backup, and then repairs the journal', async () => {
  station = await Station.open()
  await record('take.bin')
  expect(await station.runToIdle()).toBe(0)
  truncateSync(inData('journal.db'), 0)
  release = lockFile(inData('journal.backup.db'))

  const refused = station.agent('--until-idle')
  expect(await refused.ended).toBe(1)
  expect(refused.stderr).toMatch(/journal/i)
  expect(refused.stderr).not.toMatch(rawError)
  release()
  release = null

  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
})

test('if another program locks an old backup, the next migration removes it', async () => {
  station = await Station.open()
  const backups = () => readdirSync(station.root).filter((name) => name.startsWith('journal.schema-'))
  for (const version of [1, 2]) writeFileSync(path.join(station.root, `journal.schema-${version}.db`), '')
  release = lockFile(path.join(station.root, 'journal.schema-1.db'))
  const db = new Database(':memory:')
  db.exec('CREATE TABLE parts (url TEXT)')

  backUpSchema(db, station.root, 3)
  expect(backups().toSorted()).toEqual(['journal.schema-1.db', 'journal.schema-2.db', 'journal.schema-3.db'])
  release()
  release = null

  backUpSchema(db, station.root, 4)
  expect(backups().toSorted()).toEqual(['journal.schema-3.db', 'journal.schema-4.db'])
  db.close()
})
