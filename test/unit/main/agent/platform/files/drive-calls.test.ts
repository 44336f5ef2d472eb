import { stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { DriveCalls, DriveTimeoutError } from '../../../../../../main/agent/platform/files/drive-calls.ts'

const SHARE = '/mnt/share'
const OWN = '/data'

/** A call that ends when the test settles it. */
const question = <T>() => {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { ask: () => promise, answer: resolve }
}
const answered = async () => 'here'

test('reports a hung drive, keeps other drives going, and uses the drive again once it answers', async () => {
  const calls = new DriveCalls({ timeoutMs: 20 })
  const hanging = question<string>()
  await expect(calls.run(SHARE, hanging.ask)).rejects.toThrow(DriveTimeoutError)
  let asked = 0
  const next = async () => {
    asked += 1
    return 'here'
  }
  await expect(calls.run(SHARE, next)).rejects.toThrow(DriveTimeoutError)
  await expect(calls.runSequence(SHARE, next)).rejects.toThrow(DriveTimeoutError)
  expect(asked).toBe(0)
  expect(await calls.run(OWN, answered)).toBe('here')
  expect(await calls.run(null, answered)).toBe('here')
  hanging.answer('late')
  await expect.poll(() => calls.run(SHARE, next).catch(() => null)).toBe('here')
})

test('a remounted share answers new calls while old calls hang forever', async () => {
  const calls = new DriveCalls({ timeoutMs: 20, probeIntervalMs: 30 })
  await expect(calls.run(SHARE, question<string>().ask)).rejects.toThrow(DriveTimeoutError)
  await expect.poll(() => calls.run(SHARE, answered).catch(() => null)).toBe('here')
  expect(calls.isHung(SHARE)).toBe(false)
  expect(await calls.run(SHARE, answered)).toBe('here')
})

test('folders on one drive hang together', async () => {
  const calls = new DriveCalls({ timeoutMs: 20 })
  calls.setDevice(SHARE, '42')
  calls.setDevice('/mnt/share/more', '42')
  calls.setDevice(OWN, '1')
  await expect(calls.run(SHARE, question<string>().ask)).rejects.toThrow(DriveTimeoutError)
  await expect(calls.run('/mnt/share/more', answered)).rejects.toThrow(DriveTimeoutError)
  expect(await calls.run(OWN, answered)).toBe('here')
})

test('accepts an answer that arrived while the event loop was blocked', async () => {
  const calls = new DriveCalls({ timeoutMs: 200 })
  // This is a single call, which its thread finishes during the block. Reading a file would take several calls.
  const found = calls.run(OWN, () => stat(import.meta.filename))
  // Like a PC that slept: far more time than the timeout passes at once.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  expect((await found).isFile()).toBe(true)
})

test('runs at most four calls per folder; queued calls fail at once when the drive hangs', async () => {
  const calls = new DriveCalls({ timeoutMs: 50 })
  const open: ReturnType<typeof question<string>>[] = []
  const asks = Array.from({ length: 64 }, () =>
    calls.run(SHARE, () => {
      const one = question<string>()
      open.push(one)
      return one.ask()
    }),
  )
  const ends = Promise.allSettled(asks)
  await expect.poll(() => open.length).toBe(4)
  for (const { status } of await ends) expect(status).toBe('rejected')
  expect(open).toHaveLength(4)
})

test('every queued call gets its turn and its own result', async () => {
  const calls = new DriveCalls()
  let running = 0
  let most = 0
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      calls
        .run(SHARE, async () => {
          running += 1
          most = Math.max(most, running)
          await new Promise((done) => setImmediate(done))
          running -= 1
          if (n % 7 === 0) throw new Error(`no ${n}`)
          return n
        })
        .catch((error: Error) => error.message),
    ),
  )
  expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => (n % 7 === 0 ? `no ${n}` : n)))
  expect(most).toBeLessThanOrEqual(4)
})

test('releases a result that arrives after the timeout', async () => {
  const calls = new DriveCalls({ timeoutMs: 20 })
  const hanging = question<string>()
  const released: string[] = []
  await expect(calls.run(SHARE, hanging.ask, (late) => released.push(late))).rejects.toThrow(
    DriveTimeoutError,
  )
  hanging.answer('a handle')
  await expect.poll(() => released).toEqual(['a handle'])
})

test('long work does not time out while it makes progress; after a timeout it ends at its next step', async () => {
  const calls = new DriveCalls({ timeoutMs: 40 })
  let steps = 0
  const silence = question<void>()
  let end: unknown = null
  const walk = calls.runSequence(SHARE, async (alive) => {
    try {
      for (; steps < 40; steps += 1) {
        await new Promise((done) => setTimeout(done, 5))
        alive()
      }
      await silence.ask()
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
