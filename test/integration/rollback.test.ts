import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { migrations } from '../../main/agent/journal/migrations.ts'
import { backUpSchema } from '../../main/agent/journal/schema-backup.ts'
import { agentProgram } from '../support/programs.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const inData = (name: string) => path.join(station.data, name)
const here = (name: string) => path.join(station.recordings, name)
const newerFolders = () => readdirSync(station.data).filter((name) => name.startsWith('newer-'))

/** What an update does first. */
const backUp = () => {
  const db = new Database(inData('journal.db'))
  backUpSchema(db, station.data, migrations.length)
  db.close()
}

/** A newer version has migrated the journal and its hourly backup. */
const makeNewer = () => {
  for (const name of ['journal.db', 'journal.backup.db']) {
    const db = new Database(inData(name))
    db.pragma(`user_version = ${migrations.length + 1}`)
    db.close()
  }
}

const rollbackWith = (typed: string) =>
  new Promise<{ code: number | null; err: string }>((resolve) => {
    const child = spawn(process.execPath, [agentProgram, 'rollback', '--data', station.data])
    let err = ''
    child.stderr.on('data', (text) => {
      err += text
    })
    child.once('close', (code) => resolve({ code, err }))
    child.stdin.end(`${typed}\n`)
  })

test('rollback restores the older journal, and finds newer recordings again without a second session', async () => {
  station = await Station.open()
  writeFileSync(here('before.bin'), Buffer.alloc(1000, 1))
  expect(await station.runToIdle()).toBe(0)
  backUp()
  for (const [index, name] of ['since.bin', 'removed.bin'].entries())
    writeFileSync(here(name), Buffer.alloc(1000, index + 2))
  expect(await station.runToIdle()).toBe(0)
  rmSync(here('removed.bin'))
  makeNewer()

  const refused = await station.command('status')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('or run `sluice rollback`') })

  const kept = await rollbackWith('yes')
  expect(kept).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was changed') })
  expect(newerFolders()).toEqual([])

  const { code, err } = await rollbackWith('rollback')
  expect(code).toBe(0)
  expect(err).toContain('2 recordings have changed')
  expect(err).toContain(here('removed.bin'))
  expect(err).not.toContain(here('since.bin'))
  expect(newerFolders()).toHaveLength(1)
  expect(existsSync(inData(path.join(newerFolders()[0] ?? '', 'journal.db')))).toBe(true)

  expect(await station.runToIdle()).toBe(0)
  const { recordings } = await station.status()
  expect(recordings.map(({ state }) => state)).toEqual(['processed', 'processed'])
  const { routes, parts } = await station.stats()
  expect(routes.create).toBe(3)
  expect(Object.values(parts).map((session) => Object.values(session))).toEqual([[1], [1], [1]])
})

test('rollback changes nothing if this version can use the journal, or if there is no backup', async () => {
  station = await Station.open()
  writeFileSync(here('one.bin'), 'content')
  expect(await station.runToIdle()).toBe(0)
  const usable = await station.command('rollback', '--yes')
  expect(usable).toMatchObject({ code: 1, err: expect.stringContaining('Install the older version first') })
  makeNewer()
  const alone = await station.command('rollback', '--yes')
  expect(alone).toMatchObject({ code: 1, err: expect.stringContaining('There is no backup') })
  const refused = await station.command('status')
  expect(refused.err).not.toContain('rollback')
})
