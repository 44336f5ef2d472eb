import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectGarbage } from '../../../../main/memory/collect-garbage.ts'
import { collectWhenIdle, IDLE_MS } from '../../../../main/memory/collect-when-idle.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

const startCollecting = () => {
  const collect = vi.fn()
  let change = () => {}
  collectWhenIdle((listener) => {
    change = listener
  }, collect)
  return { collect, change: () => change() }
}

test('collects once after the start, and not again while nothing changes', () => {
  const { collect } = startCollecting()
  vi.advanceTimersByTime(IDLE_MS - 1)
  expect(collect).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10 * IDLE_MS)
  expect(collect).toHaveBeenCalledOnce()
})

test('waits for the end of a burst of changes, and collects after each burst', () => {
  const { collect, change } = startCollecting()
  for (let turn = 0; turn < 5; turn += 1) {
    vi.advanceTimersByTime(IDLE_MS - 1)
    change()
  }
  expect(collect).not.toHaveBeenCalled()
  vi.advanceTimersByTime(IDLE_MS)
  expect(collect).toHaveBeenCalledOnce()
  change()
  vi.advanceTimersByTime(IDLE_MS)
  expect(collect).toHaveBeenCalledTimes(2)
})

test('frees unused memory, and leaves no global gc function behind', () => {
  vi.useRealTimers()
  let lists: number[][] | null = Array.from({ length: 200 }, () =>
    Array.from({ length: 10_000 }, Math.random),
  )
  const before = process.memoryUsage().heapUsed
  expect(lists).toHaveLength(200)
  lists = null
  collectGarbage()
  expect(before - process.memoryUsage().heapUsed).toBeGreaterThan(5_000_000)
  expect('gc' in globalThis).toBe(false)
})
