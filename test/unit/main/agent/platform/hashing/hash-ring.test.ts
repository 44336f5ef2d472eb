import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import {
  createHashRing,
  type HashRing,
  type RingView,
  slotBytes,
  slotCount,
  viewRing,
} from '../../../../../../main/agent/platform/hashing/hash-ring.ts'

const ringModule = new URL('../../../../../../main/agent/platform/hashing/hash-ring.ts', import.meta.url).href

/** Starts a second thread that waits on the ring. Returns once the thread waits or has answered. */
const waitInOtherThread = async (
  ring: HashRing,
  wait: 'waitForFreeSlot' | 'waitForData' | 'rest',
  index: number,
) => {
  const script = `
    const { parentPort, workerData: { ring, wait, index } } = require('node:worker_threads')
    import('${ringModule}').then(({ viewRing }) => parentPort.postMessage(viewRing(ring)[wait](index)))`
  const worker = new Worker(script, { eval: true, workerData: { ring, wait, index } })
  const answers: unknown[] = []
  const whenEnded = once(worker, 'exit')
  worker.on('message', (answer) => answers.push(answer))
  const control = new Int32Array(ring.control)
  // `notify` returns the number of threads that it woke. A thread that still has nothing to do waits again.
  const isWaiting = () => [0, 1, 2, 3].some((at) => Atomics.notify(control, at) > 0)
  while (answers.length === 0 && !isWaiting()) await setImmediate()
  return { answers, ended: whenEnded }
}

describe('the ring between the two hash threads', () => {
  it('never lets the reader overwrite a slot that is not hashed yet', async () => {
    const ring = createHashRing()
    const view = viewRing(ring)
    for (let slot = 0; slot < slotCount; slot += 1) {
      expect(view.waitForFreeSlot(slot)).toBe(true)
      view.fill()
    }
    const waiter = await waitInOtherThread(ring, 'waitForFreeSlot', slotCount)
    view.stop()
    await waiter.ended
    expect(waiter.answers).toEqual([false])
  })

  it('lets the reader continue as soon as a slot is free', async () => {
    const ring = createHashRing()
    const view = viewRing(ring)
    for (let slot = 0; slot < slotCount; slot += 1) view.fill()
    const waiter = await waitInOtherThread(ring, 'waitForFreeSlot', slotCount)
    view.empty()
    await waiter.ended
    expect(waiter.answers).toEqual([true])
  })

  it('never lets the part hasher read a slot that is not filled yet', async () => {
    const ring = createHashRing()
    const view = viewRing(ring)
    const firstWaiter = await waitInOtherThread(ring, 'waitForData', 0)
    view.stop()
    await firstWaiter.ended
    expect(firstWaiter.answers).toEqual([false])
    view.reset()
    const secondWaiter = await waitInOtherThread(ring, 'waitForData', 0)
    view.fill()
    await secondWaiter.ended
    expect(secondWaiter.answers).toEqual([true])
  })

  it('lets a thread rest only while it yields to a recorder, and not after a stop', async () => {
    const ring = createHashRing()
    const view = viewRing(ring)
    // If the thread rested here, the test would time out.
    view.rest(3_600_000)
    view.setYielding(true)
    const startedAtMs = performance.now()
    view.rest(100)
    expect(performance.now() - startedAtMs).toBeGreaterThan(95)
    view.stop()
    view.rest(3_600_000)
  })

  it.each<[string, (view: RingView) => void]>([
    ['the recorder has stopped', (view) => view.setYielding(false)],
    ['the work is stopped', (view) => view.stop()],
  ])('ends a rest of an hour when %s', async (_, end) => {
    const ring = createHashRing()
    const view = viewRing(ring)
    view.setYielding(true)
    const waiter = await waitInOtherThread(ring, 'rest', 3_600_000)
    expect(waiter.answers).toEqual([])
    end(view)
    await waiter.ended
  })

  it('uses the same memory for every file size', () => {
    const { slots } = createHashRing()
    expect(slots.byteLength).toBe(slotCount * slotBytes)
    expect(slots.byteLength).toBeLessThanOrEqual(8 * 1024 * 1024)
  })
})
