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
