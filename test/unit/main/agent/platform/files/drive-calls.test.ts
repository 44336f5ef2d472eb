import { stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { DriveCalls, DriveTimeoutError } from '../../../../../../main/agent/platform/files/drive-calls.ts'

const SHARE = '/mnt/share'
const LOCAL = '/data'

/** A call that ends when the test answers it. */
const pendingCall = <T>() => {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { run: () => promise, answer: resolve }
}
const answerAtOnce = async () => 'here'

test('reports a hung drive, continues on other drives, and uses the drive again once it answers', async () => {
  const calls = new DriveCalls({ timeoutMs: 20 })
  const hanging = pendingCall<string>()
  await expect(calls.run(SHARE, hanging.run)).rejects.toThrow(DriveTimeoutError)
  let callCount = 0
  const countedCall = async () => {
    callCount += 1
    return 'here'
  }
  await expect(calls.run(SHARE, countedCall)).rejects.toThrow(DriveTimeoutError)
  await expect(calls.runSequence(SHARE, countedCall)).rejects.toThrow(DriveTimeoutError)
  expect(callCount).toBe(0)
  expect(await calls.run(LOCAL, answerAtOnce)).toBe('here')
  expect(await calls.run(null, answerAtOnce)).toBe('here')
  hanging.answer('late')
  await expect.poll(() => calls.run(SHARE, countedCall).catch(() => null)).toBe('here')
})

test('a remounted share answers new calls while old calls hang forever', async () => {
  const calls = new DriveCalls({ timeoutMs: 20, probeIntervalMs: 30 })
  await expect(calls.run(SHARE, pendingCall<string>().run)).rejects.toThrow(DriveTimeoutError)
  await expect.poll(() => calls.run(SHARE, answerAtOnce).catch(() => null)).toBe('here')
  expect(calls.isHung(SHARE)).toBe(false)
  expect(await calls.run(SHARE, answerAtOnce)).toBe('here')
})

test('while one folder of a drive hangs, all folders on that drive count as hung', async () => {
  const calls = new DriveCalls({ timeoutMs: 20 })
  calls.setDevice(SHARE, '42')
  calls.setDevice('/mnt/share/more', '42')
  calls.setDevice(LOCAL, '1')
  await expect(calls.run(SHARE, pendingCall<string>().run)).rejects.toThrow(DriveTimeoutError)
  await expect(calls.run('/mnt/share/more', answerAtOnce)).rejects.toThrow(DriveTimeoutError)
  expect(await calls.run(LOCAL, answerAtOnce)).toBe('here')
})

test('accepts an answer that arrived while the event loop was blocked', async () => {
  const calls = new DriveCalls({ timeoutMs: 200 })
  // `stat` is a single call, so its thread can finish it while the event loop is blocked.
  const statResult = calls.run(LOCAL, () => stat(import.meta.filename))
  // Block for longer than the timeout, like a PC that sleeps.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  expect((await statResult).isFile()).toBe(true)
})

test('runs at most four calls per drive; queued calls fail at once when the drive hangs', async () => {
  const calls = new DriveCalls({ timeoutMs: 50 })
  const startedCalls: ReturnType<typeof pendingCall<string>>[] = []
  const results = Array.from({ length: 64 }, () =>
    calls.run(SHARE, () => {
      const call = pendingCall<string>()
      startedCalls.push(call)
      return call.run()
    }),
  )
  const settledResults = Promise.allSettled(results)
  await expect.poll(() => startedCalls.length).toBe(4)
  for (const { status } of await settledResults) expect(status).toBe('rejected')
  expect(startedCalls).toHaveLength(4)
})

test('every queued call gets its turn and its own result', async () => {
  const calls = new DriveCalls()
  let running = 0
  let maxRunning = 0
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      calls
        .run(SHARE, async () => {
          running += 1
          maxRunning = Math.max(maxRunning, running)
          await new Promise((done) => setImmediate(done))
          running -= 1
          if (n % 7 === 0) throw new Error(`no ${n}`)
          return n
        })
        .catch((error: Error) => error.message),
    ),
  )
  expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => (n % 7 === 0 ? `no ${n}` : n)))
  expect(maxRunning).toBeLessThanOrEqual(4)
})

test('releases a result that arrives after the timeout', async () => {
  const calls = new DriveCalls({ timeoutMs: 20 })
  const hanging = pendingCall<string>()
  const released: string[] = []
  await expect(calls.run(SHARE, hanging.run, (late) => released.push(late))).rejects.toThrow(
    DriveTimeoutError,
  )
  hanging.answer('a handle')
  await expect.poll(() => released).toEqual(['a handle'])
})

test('a sequence of calls does not time out while it makes progress; after a timeout, it ends at its next call', async () => {
  const calls = new DriveCalls({ timeoutMs: 40 })
  let steps = 0
  const silence = pendingCall<void>()
  let end: unknown = null
  const walk = calls.runSequence(SHARE, async (alive) => {
    try {
      for (; steps < 40; steps += 1) {
        await new Promise((done) => setTimeout(done, 5))
        alive()
      }
      await silence.run()
      alive()
    } catch (error) {
      end = error
    }
  })
  await expect(walk).rejects.toThrow(DriveTimeoutError)
  expect(steps).toBe(40)
  silence.answer()
  await expect.poll(() => end).toBeInstanceOf(DriveTimeoutError)
})
