import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTempJournal } from '../../../../support/temp-journal.ts'

let nowMs: number
let temp: ReturnType<typeof openTempJournal>
beforeEach(() => {
  nowMs = 1_000
  temp = openTempJournal(() => nowMs)
})
afterEach(() => temp.close())

test('a pause keeps its start when its end changes, until uploads resume', () => {
  const { station } = temp.journal
  station.pause(null)
  nowMs = 2_000
  station.pause(9_000)
  expect(station.currentPause()).toEqual({ untilMs: 9_000, sinceMs: 1_000 })
  station.resume()
  station.pause(null)
  expect(station.currentPause()).toEqual({ untilMs: null, sinceMs: 2_000 })
})

test('after a pause has ended by itself, the next pause has its own start', () => {
  const { station } = temp.journal
  station.pause(5_000)
  nowMs = 6_000
  station.pause(null)
  expect(station.currentPause()).toEqual({ untilMs: null, sinceMs: 6_000 })
})

test('a folder keeps the time of its first complete listing until the journal forgets it', () => {
  const { station } = temp.journal
  station.setVolume('/recordings', { device: '1', inode: '2' }, 500)
  expect(station.listedAtMs('/recordings')).toBeNull()
  station.setListed('/recordings', 700)
  station.setListed('/recordings', 900)
  expect(station.listedAtMs('/recordings')).toBe(700)
  station.forgetListings()
  expect(station.listedAtMs('/recordings')).toBeNull()
})

test('a listing of an older version counts from the time at which the folder was first seen', () => {
  const { station } = temp.journal
  station.setVolume('/recordings', { device: '1', inode: '2' }, 500)
  station.setListed('/recordings', 700)
  const db = new Database(path.join(temp.folder, 'journal.db'))
  db.exec("DELETE FROM station WHERE key = 'listing_times'")
  db.close()
  expect(station.listedAtMs('/recordings')).toBe(500)
})
