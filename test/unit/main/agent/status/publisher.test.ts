import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Publisher } from '../../../../../main/agent/status/publisher.ts'
import type { Status } from '../../../../../shared/status/status.ts'

let snapshots = 0
let content = 'first'
const published: string[] = []
let publisher: Publisher

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  snapshots = 0
  published.length = 0
  content = 'first'
  publisher = new Publisher(
    () => {
      snapshots += 1
      return { at: `${snapshots}`, host: content } as unknown as Status
    },
    (status) => published.push((status as unknown as { host: string }).host),
  )
})
afterEach(() => {
  publisher.stop()
  vi.useRealTimers()
})

test('sends a change at once if the last one was some time ago', () => {
  publisher.changed()
  vi.advanceTimersByTime(1)
  expect(published).toEqual(['first'])
  vi.advanceTimersByTime(10_000)
  content = 'second'
  publisher.changed()
  vi.advanceTimersByTime(1)
  expect(published).toEqual(['first', 'second'])
})

test('1,000 changes in a second cause at most five snapshots, and the last snapshot is current', () => {
  for (let change = 0; change < 1_000; change += 1) {
    content = `${change}`
    publisher.changed()
    vi.advanceTimersByTime(1)
  }
  expect(snapshots).toBeLessThanOrEqual(5)
  vi.advanceTimersByTime(250)
  expect(published.at(-1)).toBe('999')
})

test('does not send a snapshot in which only the time changed', () => {
  for (let change = 0; change < 3; change += 1) {
    publisher.changed()
    vi.advanceTimersByTime(1_000)
  }
  expect(snapshots).toBe(3)
  expect(published).toEqual(['first'])
})

test('waits between two snapshots even if the first was slow', () => {
  const startedAtMs: number[] = []
  const slow = new Publisher(
    () => {
      startedAtMs.push(performance.now())
      vi.advanceTimersByTime(300)
      return { at: '', host: `${startedAtMs.length}` } as unknown as Status
    },
    () => {},
  )
  for (let change = 0; change < 20; change += 1) {
    slow.changed()
    vi.advanceTimersByTime(100)
  }
  slow.stop()
  expect(startedAtMs.length).toBeGreaterThan(1)
  for (const [index, atMs] of startedAtMs.entries())
    if (index > 0) expect(atMs - (startedAtMs[index - 1] ?? 0)).toBeGreaterThanOrEqual(300 + 250)
})
