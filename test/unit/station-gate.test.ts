import { afterEach, beforeEach, expect, test } from 'vitest'
import { Gate } from '../../main/agent/running/station-gate.ts'
import { openTempJournal, type TempJournal } from '../support/temp-journal.ts'

let opened: TempJournal
let nowMs: number
let gate: Gate
beforeEach(() => {
  nowMs = 1_000_000
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs }
  opened = openTempJournal(clock.wallMs)
  gate = new Gate(
    opened.journal,
    clock,
    () => 1,
    () => null,
  )
})
afterEach(() => opened.close())

/** Fails when the next probe is due; says how long the one after it waits. */
const failAgain = (): number => {
  nowMs = Math.max(nowMs, gate.probeAtMs)
  gate.close('key-refused')
  return gate.probeAtMs - nowMs
}

test('each refused probe makes the next one wait twice as long, up to a minute', () => {
  const gaps = Array.from({ length: 12 }, failAgain)
  const [first = 0] = gaps
  expect(first).toBeGreaterThan(0)
  expect(gaps).toEqual(gaps.map((_, index) => Math.min(first * 2 ** index, 60_000)))
  expect(gaps.at(-1)).toBe(60_000)
})

test('what fails together is one failure of the station', () => {
  const gap = failAgain()
  const { problem } = gate
  for (let n = 0; n < 100; n += 1) gate.close('key-refused')
  expect(gate.problem).toBe(problem)
  expect(gate.probeAtMs).toBe(nowMs + gap)
  expect(failAgain()).toBe(2 * gap)
})

test('what has become different is asked at once, and success forgets the failures', () => {
  const gap = failAgain()
  failAgain()
  gate.probeNow()
  expect(gate.probeAtMs).toBeLessThanOrEqual(nowMs)
  failAgain()
  failAgain()
  gate.open()
  expect(gate.problem).toBeNull()
  expect(failAgain()).toBe(gap)
})
