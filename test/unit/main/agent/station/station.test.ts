import { afterEach, beforeEach, expect, test } from 'vitest'
import { Station } from '../../../../../main/agent/station/station.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
let nowMs: number
let station: Station
beforeEach(() => {
  nowMs = 1_000_000
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs }
  temp = openTempJournal(clock.wallMs)
  station = new Station(
    temp.journal,
    clock,
    () => 1,
    () => null,
  )
})
afterEach(() => temp.close())

const nextProbeInMs = (): number => {
  const from = nowMs
  while (!station.isProbeDue('key')) nowMs += 100
  const delayMs = nowMs - from
  nowMs = from
  return delayMs
}

/** Lets the next due probe fail. Returns the delay until the following probe. */
const failNextProbe = (): number => {
  while (station.code('key') !== null && !station.isProbeDue('key')) nowMs += 100
  station.raise('key', 'key-refused')
  return nextProbeInMs()
}

test('each refused probe doubles the delay until the next probe, up to a minute', () => {
  const delaysMs = Array.from({ length: 12 }, failNextProbe)
  const [first = 0] = delaysMs
  expect(first).toBeGreaterThan(0)
  expect(delaysMs).toEqual(delaysMs.map((_, index) => Math.min(first * 2 ** index, 60_000)))
  expect(delaysMs.at(-1)).toBe(60_000)
})

test('failures at the same time count as one failure of the station', () => {
  const delayMs = failNextProbe()
  const { stop } = station
  for (let n = 0; n < 100; n += 1) station.raise('key', 'key-refused')
  expect(station.stop).toBe(stop)
  expect(nextProbeInMs()).toBe(delayMs)
  expect(failNextProbe()).toBe(2 * delayMs)
})

test('probes at once after a wake-up or a network change, and an answer ends the condition', () => {
  station.raise('control', 'service-unreachable')
  nowMs += 10_000
  station.raise('control', 'service-unreachable')
  expect(station.isProbeDue('control')).toBe(false)
  station.probeNow()
  expect(station.isProbeDue('control')).toBe(true)
  station.noteAnswer('control', nowMs)
  expect(station.problems).toEqual([])
})

test('a condition keeps the time at which it began, even if its code changes', () => {
  const began = new Date(nowMs).toISOString()
  station.raise('control', 'service-unreachable')
  nowMs += 600_000
  station.raise('control', 'service-error')
  expect(station.problems).toMatchObject([{ code: 'service-error', since: began }])
  station.clear('control')
  station.raise('control', 'service-unreachable')
  expect(station.problems).toMatchObject([{ since: new Date(nowMs).toISOString() }])
})

test('several conditions can be true at the same time, the most serious first; clearing one clears no other', () => {
  station.raise('storage', 'storage-unreachable')
  station.raise('clock', 'clock-wrong')
  station.raise('disk', 'disk-full')
  station.raise('key', 'key-missing')
  const codes = () => station.problems.map(({ code }) => code)
  expect(codes()).toEqual(['disk-full', 'key-missing', 'storage-unreachable', 'clock-wrong'])
  station.clear('disk')
  expect(codes()).toEqual(['key-missing', 'storage-unreachable', 'clock-wrong'])
  expect(station.stop?.code).toBe('key-missing')
  expect(temp.journal.station.conditions().map(({ code }) => code)).toEqual(codes())
})

test('a PC without a network has one problem, not one for the service and one for the storage', () => {
  station.raise('control', 'network-missing')
  station.raise('storage', 'network-missing')
  expect(station.problems.map(({ code }) => code)).toEqual(['network-missing'])
  station.noteAnswer('control', nowMs)
  expect(station.problems.map(({ code }) => code)).toEqual(['network-missing'])
  station.noteAnswer('storage', nowMs)
  expect(station.problems).toEqual([])
})

test('an answer does not end a condition that began after the request was sent', () => {
  const sentAtMs = nowMs
  nowMs += 100
  station.raise('storage', 'storage-unreachable')
  station.noteAnswer('storage', sentAtMs)
  expect(station.code('storage')).toBe('storage-unreachable')
  station.noteAnswer('storage', nowMs + 1)
  expect(station.code('storage')).toBeNull()
})

test('a wrong clock or a short rate limit does not stop the station, but a long rate limit does', () => {
  station.raise('clock', 'clock-wrong')
  expect(station.stop).toBeNull()
  station.raise('control', 'rate-limited', { afterMs: 1_000 })
  expect(station.stop).toBeNull()
  station.clear('control')
  station.raise('control', 'rate-limited', { afterMs: 120_000 })
  expect(station.stop?.code).toBe('rate-limited')
  // Neither a late answer nor a wake-up ends a rate limit before its time is over.
  station.noteAnswer('control', nowMs + 1)
  station.probeNow()
  expect(station.isProbeDue('control')).toBe(false)
  nowMs += 120_000
  expect(station.isProbeDue('control')).toBe(true)
})

/** Advances the time. Checks for unanswered requests each second, as the agent does. */
const advance = (seconds: number) => {
  for (let second = 0; second < seconds; second += 1) {
    nowMs += 1_000
    station.checkPending()
  }
}

test('a service that accepts requests and answers none is unreachable after 10 s', () => {
  const end = station.beginRequest()
  advance(9)
  expect([station.code('control'), station.reachable]).toEqual([null, null])
  advance(1)
  expect([station.code('control'), station.reachable]).toEqual(['service-unreachable', false])
  expect(station.problems[0]?.sentence).toContain('no answer for 10 s')
  end()
})

test('two slow answers in a row report only once that the service is unreachable', () => {
  for (const seconds of [15, 25]) {
    const sentAtMs = nowMs
    const end = station.beginRequest()
    advance(seconds)
    end()
    station.noteAnswer('control', sentAtMs)
    expect(station.code('control')).toBeNull()
  }
  const codes = temp.journal.activity
    .read({ groups: [], fromMs: null, toMs: null, before: null, limit: 50 })
    .filter(({ activity }) => activity.kind === 'condition-began')
  expect(codes).toHaveLength(1)
})

test('a slow request raises no condition while other requests are answered', () => {
  station.beginRequest()
  for (let times = 0; times < 10; times += 1) {
    advance(5)
    station.noteAnswer('control', nowMs)
  }
  expect(station.code('control')).toBeNull()
})

test('after a wake-up, the 10 s for an answer start again', () => {
  station.beginRequest()
  nowMs += 8 * 3_600_000
  station.probeNow()
  advance(9)
  expect(station.code('control')).toBeNull()
})
