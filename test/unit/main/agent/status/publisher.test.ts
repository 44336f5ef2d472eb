import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Publisher } from '../../../../../main/agent/status/publisher.ts'
import type { Status } from '../../../../../shared/status/status.ts'

let taken = 0
let content = 'first'
const sent: string[] = []
let publisher: Publisher

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  taken = 0
  sent.length = 0
  content = 'first'
  publisher = new Publisher(
    () => {
      taken += 1
      return { at: `${taken}`, host: content } as unknown as Status
    },
    (status) => sent.push((status as unknown as { host: string }).host),
  )
})
afterEach(() => {
  publisher.stop()
  vi.useRealTimers()
})

test('sends a change after a quiet time at once', () => {
  publisher.changed()
  vi.advanceTimersByTime(1)
  expect(sent).toEqual(['first'])
  vi.advanceTimersByTime(10_000)
  content = 'second'
  publisher.changed()
  vi.advanceTimersByTime(1)
  expect(sent).toEqual(['first', 'second'])
})

test('a thousand changes in a second make at most five snapshots, the last one current', () => {
  for (let change = 0; change < 1_000; change += 1) {
    content = `${change}`
    publisher.changed()
    vi.advanceTimersByTime(1)
  }
  expect(taken).toBeLessThanOrEqual(5)
  vi.advanceTimersByTime(250)
  expect(sent.at(-1)).toBe('999')
})

test('does not send a snapshot in which only the time changed', () => {
  for (let change = 0; change < 3; change += 1) {
    publisher.changed()
    vi.advanceTimersByTime(1_000)
  }
  expect(taken).toBe(3)
  expect(sent).toEqual(['first'])
})

test('waits between two snapshots even if the first was slow', () => {
  const began: number[] = []
  const slow = new Publisher(
    () => {
      began.push(performance.now())
      vi.advanceTimersByTime(300)
      return { at: '', host: `${began.length}` } as unknown as Status
    },
    () => {},
  )
  for (let change = 0; change < 20; change += 1) {
    slow.changed()
    vi.advanceTimersByTime(100)
  }
  slow.stop()
  expect(began.length).toBeGreaterThan(1)
  for (const [index, atMs] of began.entries())
    if (index > 0) expect(atMs - (began[index - 1] ?? 0)).toBeGreaterThanOrEqual(300 + 250)
})
