import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { migrations } from '../../main/agent/journal/migrations.ts'
import { backUpSchema } from '../../main/agent/journal/schema-backup.ts'
import { needs, posix, root } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const inData = (name: string) => path.join(station.data, name)
const here = (name: string) => path.join(station.recordings, name)
const newerFolders = () => readdirSync(station.data).filter((name) => name.startsWith('newer-'))

/** Backs up the journal, as an update does before it changes the schema. */
const backUp = () => {
  const db = new Database(inData('journal.db'))
  backUpSchema(db, station.data, migrations.length)
  db.close()
}

/** Gives the journal and its hourly backup a schema version from the future, as a newer version of Sluice does. */
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

test('rollback restores the older journal, and Sluice finds newer recordings again without a second session', async () => {
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
  expect(err).toContain('2 recordings have been added or changed in the journal')
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
  expect(usable).toMatchObject({ code: 1, err: expect.stringContaining('nothing to restore') })
  makeNewer()
  const alone = await station.command('rollback', '--yes')
  expect(alone).toMatchObject({ code: 1, err: expect.stringContaining('There is no backup') })
  const refused = await station.command('status')
  expect(refused.err).not.toContain('rollback')
})

test(
  'after a rollback by root, the user of the background service owns every file, and the agent starts',
  needs(root),
  async () => {
    const service = 65_534
    station = await Station.open()
    chmodSync(station.root, 0o755)
    mkdirSync(station.data)
    for (const file of [station.data, station.recordings, station.settingsFile])
      chownSync(file, service, service)
    writeFileSync(here('one.bin'), 'content', { mode: 0o644 })
    // Node may be installed where the user of the background service cannot execute it, so the process starts as root
    // and drops its privileges at once.
    const dropPrivileges = `process.setgroups([]); process.setgid(${service}); process.setuid(${service})`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(dropPrivileges)}`
    const runService = () => station.agentWith({ env: { NODE_OPTIONS } }, '--until-idle').ended
    expect(await runService()).toBe(0)
    backUp()
    makeNewer()
    for (const name of readdirSync(station.data)) chownSync(inData(name), service, service)

    expect(await station.command('rollback', '--yes')).toMatchObject({ code: 0 })
    for (const name of readdirSync(station.data, { recursive: true, encoding: 'utf8' }))
      expect([name, statSync(inData(name)).uid]).toEqual([name, service])
    expect(await runService()).toBe(0)
  },
)

test('rollback refuses a link in place of the backup', needs(posix), async () => {
  station = await Station.open()
  expect(await station.runToIdle()).toBe(0)
  backUp()
  makeNewer()
  const name = `journal.schema-${migrations.length}.db`
  renameSync(inData(name), path.join(station.root, 'elsewhere.db'))
  symlinkSync(path.join(station.root, 'elsewhere.db'), inData(name))
  const refused = await station.command('rollback', '--yes')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is a link') })
  expect(newerFolders()).toEqual([])
})

test('the newer journal that rollback keeps contains no signed URL', async () => {
  station = await Station.open()
  writeFileSync(here('one.bin'), 'content')
  expect(await station.runToIdle()).toBe(0)
  backUp()
  makeNewer()
  const db = new Database(inData('journal.db'))
  db.exec("UPDATE parts SET url = 'https://s.example/1?s=planted'")
  expect(db.prepare('SELECT count(*) FROM parts').pluck().get()).toBeGreaterThan(0)
  db.close()
  expect(await station.command('rollback', '--yes')).toMatchObject({ code: 0 })
  const [folder = ''] = newerFolders()
  for (const name of readdirSync(inData(folder)))
    expect(readFileSync(inData(path.join(folder, name))).includes('planted')).toBe(false)
})
