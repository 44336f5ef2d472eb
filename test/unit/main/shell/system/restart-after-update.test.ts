import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RestartAfterUpdate } from '../../../../../main/shell/system/restart-after-update.ts'

const MINUTE_MS = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const app = () => {
  const world = { replacement: null as string | null, idle: true, restarts: 0 }
  const restartAfterUpdate = new RestartAfterUpdate({
    installed: world,
    isIdle: () => world.idle,
    restart: () => {
      world.restarts += 1
    },
    log: () => {},
  })
  restartAfterUpdate.start()
  return { world, restartAfterUpdate }
}

test('restarts once after an update, as soon as the app is idle', () => {
  const { world } = app()
  vi.advanceTimersByTime(5 * MINUTE_MS)
  expect(world.restarts).toBe(0)
  world.replacement = '1.1.0'
  world.idle = false
  vi.advanceTimersByTime(5 * MINUTE_MS)
  expect(world.restarts).toBe(0)
  world.idle = true
  vi.advanceTimersByTime(MINUTE_MS)
  expect(world.restarts).toBe(1)
})

test('does not restart as soon as the version changes, because the update may still be replacing files', () => {
  const { world } = app()
  world.replacement = '1.1.0'
  vi.advanceTimersByTime(MINUTE_MS)
  expect(world.restarts).toBe(0)
  vi.advanceTimersByTime(MINUTE_MS)
  expect(world.restarts).toBe(1)
})

test('does not restart an app that has been stopped', () => {
  const { world, restartAfterUpdate } = app()
  restartAfterUpdate.stop()
  world.replacement = '1.1.0'
  vi.advanceTimersByTime(5 * MINUTE_MS)
  expect(world.restarts).toBe(0)
})
