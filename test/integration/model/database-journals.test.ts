import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { FOLDER } from '../../support/model/station.ts'
import { DELETE, TakeStation } from '../../support/model/take-station.ts'

/** SQLite writes a journal beside an open database, and removes it when the last program closes the database. */

const JOURNALS = ['-journal', '-wal', '-shm'].map((suffix) => `bag/bag_0.db3${suffix}`)
const METADATA = 'rosbag2_bagfile_information:\n  relative_file_paths:\n    - bag_0.db3\n'

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const remove = (name: string) => {
  model.drive.remove(`${FOLDER}/${name}`)
  model.hint()
}
const names = () =>
  model
    .recordings()
    .map(({ name }) => name)
    .sort()

test.each(['file', 'folder'])(
  'the journal of an open database is not a recording (take: %s)',
  async (take) => {
    model.configure({ ...DELETE, take })
    for (let second = 0; second < 10; second += 1) {
      model.write('bag/bag_0.db3', `second ${second}`)
      for (const journal of JOURNALS) model.write(journal, `second ${second}`)
      await model.passSeconds(2)
    }
    for (const journal of JOURNALS) remove(journal)
    model.write('bag/metadata.yaml', METADATA)
    expect(await model.areProcessed()).toBe(true)
    expect(names()).toEqual(['bag_0.db3', 'metadata.yaml'])
    expect(await model.until(() => model.names().length === 0)).toBe(true)
  },
)

test('the journal that a crashed recorder leaves is uploaded with its take', async () => {
  model.write('bag/bag_0.db3')
  model.write('bag/bag_0.db3-wal')
  expect(await model.until(() => model.recordings().length === 2)).toBe(true)
  expect(await model.areProcessed()).toBe(true)
  expect(model.at('bag/bag_0.db3').notes).toContain('"members":["bag_0.db3","bag_0.db3-wal"]')
})

test('Sluice shows no problem if the journal of an uploaded database vanishes', async () => {
  model.write('bag/bag_0.db3')
  model.write('bag/metadata.yaml', METADATA)
  expect(await model.areProcessed()).toBe(true)
  model.write('bag/bag_0.db3-shm')
  expect(await model.until(() => model.recordings().length === 3)).toBe(true)
  remove('bag/bag_0.db3-shm')
  expect(await model.until(() => model.at('bag/bag_0.db3-shm').state === 'gone')).toBe(true)
  expect(model.at('bag/bag_0.db3-shm').problem).toBeNull()
})

test('a journal that vanishes needs attention if its database is not there', async () => {
  model.configure({ take: 'file' })
  model.write('bag_0.db3-wal')
  expect(await model.until(() => model.recordings().length === 1)).toBe(true)
  remove('bag_0.db3-wal')
  expect(await model.until(() => model.at('bag_0.db3-wal').state === 'gone')).toBe(true)
  expect(model.at('bag_0.db3-wal').problem).toMatchObject({ code: 'file-vanished' })
})

test.each(['run.db', 'run.sqlite', 'run.sqlite3', 'RUN.DB3'])(
  '%s-wal is the journal of a database',
  async (database) => {
    model.configure({ take: 'file' })
    model.write(`${database}-wal`)
    model.write(database)
    await model.passSeconds(2)
    expect(names()).toEqual([database])
  },
)

test('a file named like a journal is a recording if the file beside it is not a database', async () => {
  model.configure({ take: 'file' })
  model.write('run')
  model.write('run-journal')
  await model.passSeconds(2)
  expect(names()).toEqual(['run', 'run-journal'])
  remove('run-journal')
  expect(await model.until(() => model.at('run-journal').state === 'gone')).toBe(true)
  expect(model.at('run-journal').problem).toMatchObject({ code: 'file-vanished' })
})

const DATABASE = 'SQLite format 3\0 and the first page'

test.each(['map.gpkg', 'log.s3db', 'log'])(
  'the journals of the open database %s are not recordings',
  async (database) => {
    model.configure({ take: 'file' })
    for (let second = 0; second < 5; second += 1) {
      model.write(database, `${DATABASE} ${second}`)
      for (const suffix of ['-wal', '-shm']) model.write(`${database}${suffix}`, `second ${second}`)
      await model.passSeconds(2)
      expect(names()).toEqual([database])
    }
    for (const suffix of ['-wal', '-shm']) remove(`${database}${suffix}`)
    expect(await model.areProcessed()).toBe(true)
    expect(names()).toEqual([database])
  },
)

test('Sluice shows no problem if the journal vanishes, even if the database has an unknown extension', async () => {
  model.configure({ take: 'file' })
  model.write('log', DATABASE)
  expect(await model.areProcessed()).toBe(true)
  model.write('log-shm')
  expect(await model.until(() => model.recordings().length === 2)).toBe(true)
  remove('log-shm')
  expect(await model.until(() => model.at('log-shm').state === 'gone')).toBe(true)
  expect(model.at('log-shm').problem).toBeNull()
})

test.each([
  ['camera', 'camera-wal', 'pictures'],
  ['map.gpkg', 'map.gpkg-wal', 'no database'],
  ['camera', 'camera-journal', DATABASE],
])('beside %s, %s is a recording if the first file contains %o', async (name, other, content) => {
  model.configure({ take: 'file' })
  model.write(name, content)
  model.write(other)
  await model.passSeconds(2)
  expect(names()).toEqual([name, other])
  remove(other)
  expect(await model.until(() => model.at(other).state === 'gone')).toBe(true)
  expect(model.at(other).problem).toMatchObject({ code: 'file-vanished' })
})

test('if Sluice cannot read the database, the journal of the database becomes a recording', async () => {
  model.configure({ take: 'file' })
  const unreadable = { kind: 'file-busy', code: 'EIO', detail: 'timeout' } as const
  Object.assign(model.drive.files, { readText: async () => failed(unreadable) })
  model.write('log', DATABASE)
  model.write('log-wal')
  await model.passSeconds(2)
  expect(names()).toEqual(['log', 'log-wal'])
})
