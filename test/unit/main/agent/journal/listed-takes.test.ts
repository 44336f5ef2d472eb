import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { type Journal, openJournal } from '../../../../../main/agent/journal/journal.ts'
import { recordingQuery } from '../../../../../shared/ipc/call-arguments.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'

const [folder] = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/rec', site: 'lab', take: 'folder' }],
}).folders
const view = { service: 'https://api.example.com', sending: true }

let data: string
let journal: Journal
let nowMs = Date.parse('2026-11-15T20:00:00Z')
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'sluice-listed-takes-'))
  journal = openJournal(data, () => (nowMs += 1_000), linuxPaths).journal
})
afterEach(() => {
  journal.close()
  rmSync(data, { recursive: true })
})

const add = (name: string) => {
  const stamp = String(nowMs)
  const identity = { device: '1', inode: stamp, sizeBytes: 10, mtimeNs: stamp, ctimeNs: stamp }
  return journal.recordings.add({ path: `/rec/${name}`, identity }, folder!, { findSessionFirst: false }).id
}
const query = (change: object = {}) => recordingQuery.parse({ takes: true, pinned: true, ...change })
const names = (change: object = {}) =>
  journal.list.page(query(change), view).rows.map((row) => row.path.slice('/rec/'.length))

test('lists each take as one row, and the total counts rows', () => {
  for (const name of ['a/1', 'a/2', 'lone', 'b/1', 'a/3', 'b/2']) add(name)
  expect(names()).toEqual(['b/1', 'lone', 'a/1'])
  expect(names({ limit: 2 })).toEqual(['b/1', 'lone'])
  expect(names({ limit: 2, offset: 2 })).toEqual(['a/1'])
  expect(journal.list.page(query({ limit: 2 }), view).total).toBe(3)
  expect(journal.list.page(query({ limit: 2, folder: '/rec', pinned: false }), view).total).toBe(3)
  expect(names({ takes: false })).toHaveLength(6)
})

test('each filter chip shows its number of files, and each night shows its number of rows', () => {
  for (const name of ['a/1', 'a/2', 'lone']) add(name)
  const outline = journal.list.outline(query(), view)
  expect(outline.standings).toMatchObject({ recording: 3 })
  expect(outline.nights.map(({ count }) => count)).toEqual([2])
})

test('a take needs attention if any of its files does, and every file leads to the row of the take', () => {
  for (const name of ['a/1', 'a/2', 'lone', 'b/1']) add(name)
  const late = add('a/3')
  journal.recordings.patch(late, { problem: problemOf('empty-file') })
  expect(names()).toEqual(['a/1', 'b/1', 'lone'])
  expect(journal.list.outline(query(), view)).toMatchObject({ pinned: 1, nights: [{ count: 2, pinned: 1 }] })
  expect(journal.list.page(query({ limit: 1 }), view).total).toBe(3)
  expect(journal.list.indexOf({ ...query(), id: late }, view)).toBe(0)
})

test('a recording whose content was replaced no longer counts as a file of its take', () => {
  const [first] = [add('a/1'), add('a/2')]
  journal.recordings.supersede(first)
  add('a/1')
  expect(names()).toEqual(['a/2'])
  expect(journal.list.page(query({ limit: 1 }), view).total).toBe(1)
  expect(journal.takes.members('/rec/a')).toHaveLength(2)
})
