import { expect, test } from 'vitest'
import { Slots } from '../../../../../main/agent/stage/slots.ts'

const neverAborted = new AbortController().signal
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const stoppedClock = { wallMs: () => 0, monotonicMs: () => 0 }

/** Requests slots by name, and records the order in which they are granted or cancelled. */
const createQueue = (slots: Slots) => {
  const order: string[] = []
  const take = async (name: string, prioritised: boolean, signal = neverAborted) => {
    const slot = await slots.take(prioritised, signal)
    order.push(slot === null ? `${name} left` : name)
    return slot
  }
  return { order, take }
}

test('grants slots in the order of requests, but prioritised recordings first', async () => {
  const { order, take } = createQueue(new Slots(stoppedClock, () => 1))
  const first = await take('first', false)
  const waitingTakes = [
    take('second', false),
    take('third', false),
    take('urgent', true),
    take('urgent too', true),
  ].map((taken) => taken.then((slot) => slot?.release()))
  first?.release()
  await Promise.all(waitingTakes)
  expect(order).toEqual(['first', 'urgent', 'urgent too', 'second', 'third'])
})

test('never grants more slots than the limit, which may change meanwhile', async () => {
  let limit = 2
  const { order, take } = createQueue(new Slots(stoppedClock, () => limit))
  const a = await take('a', false)
  const b = await take('b', false)
  const c = take('c', false)
  const d = take('d', false)
  limit = 1
  a?.release()
  await nextTurn()
  expect(order).toEqual(['a', 'b'])
  limit = 3
  b?.release()
  await Promise.all([c, d])
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('a cancelled request leaves the queue, and no other request loses its turn', async () => {
  const { order, take } = createQueue(new Slots(stoppedClock, () => 1))
  const first = await take('first', false)
  const cancel = new AbortController()
  const second = take('second', true, cancel.signal)
  const third = take('third', false)
  cancel.abort()
  expect(await second).toBeNull()
  first?.release()
  await third
  expect(order).toEqual(['first', 'second left', 'third'])
})

test('a slow-down answer of the storage halves the limit, which then grows again by one slot at a time', async () => {
  let nowMs = 0
  const slots = new Slots({ wallMs: () => nowMs, monotonicMs: () => nowMs }, () => 4)
  const { order, take } = createQueue(slots)
  const slot = await take('before', false)
  slot?.slowDown()
  slot?.release()
  order.length = 0
  const takenSlots = [await take('a', false), await take('b', false)]
  const c = take('c', false)
  const d = take('d', false)
  await nextTurn()
  expect(order).toEqual(['a', 'b'])
  nowMs = 30_000
  // One slot is free and the limit has grown by one, so two requests get a slot.
  takenSlots[0]?.release()
  await Promise.all([c, d])
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('four concurrent slow-down answers halve the limit once', async () => {
  const slots = new Slots(stoppedClock, () => 8)
  const concurrent = await Promise.all([1, 2, 3, 4].map(() => slots.take(false, neverAborted)))
  for (const slot of concurrent) slot?.slowDown()
  for (const slot of concurrent) slot?.release()
  const { order, take } = createQueue(slots)
  for (const name of ['a', 'b', 'c', 'd', 'e']) void take(name, false)
  await nextTurn()
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('when the limit has grown, recordings that already wait come before a new one', async () => {
  let maxSlots = 1
  const { order, take } = createQueue(new Slots(stoppedClock, () => maxSlots))
  await take('first', false)
  void take('waiting', false)
  void take('prioritised', true)
  maxSlots = 2
  void take('new', false)
  await nextTurn()
  expect(order).toEqual(['first', 'prioritised'])
})
