import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTempJournal } from '../../../../support/temp-journal.ts'

let temp: ReturnType<typeof openTempJournal>
beforeEach(() => {
  temp = openTempJournal(() => 1_000)
})
afterEach(() => temp.close())

test('a folder keeps the time of its first complete listing until the journal forgets all listings', () => {
  const { volumes } = temp.journal
  volumes.setVolume('/recordings', { device: '1', inode: '2' }, 500)
  expect(volumes.listedAtMs('/recordings')).toBeNull()
  volumes.setListed('/recordings', 700)
  volumes.setListed('/recordings', 900)
  expect(volumes.listedAtMs('/recordings')).toBe(700)
  volumes.forgetListings()
  expect(volumes.listedAtMs('/recordings')).toBeNull()
})

test('a folder that an older version listed counts as listed since it was first seen', () => {
  const { volumes } = temp.journal
  volumes.setVolume('/recordings', { device: '1', inode: '2' }, 500)
  volumes.setListed('/recordings', 700)
  const db = new Database(path.join(temp.folder, 'journal.db'))
  db.exec("DELETE FROM station WHERE key = 'listing_times'")
  db.close()
  expect(volumes.listedAtMs('/recordings')).toBe(500)
})
