import { expect, test } from 'vitest'
import { Slots } from '../../../../../main/agent/stage/slots.ts'

const never = new AbortController().signal
const everythingSettled = () => new Promise((resolve) => setImmediate(resolve))
const stoppedClock = { wallMs: () => 0, monotonicMs: () => 0 }

/** Requests a slot, and notes the name once the slot is granted. */
const line = (slots: Slots) => {
  const order: string[] = []
  const take = async (name: string, prioritised: boolean, signal = never) => {
    const slot = await slots.take(prioritised, signal)
    order.push(slot === null ? `${name} left` : name)
    return slot
  }
  return { order, take }
}

test('grants slots in the order of requests, but prioritised recordings first', async () => {
  const { order, take } = line(new Slots(stoppedClock, () => 1))
  const first = await take('first', false)
  const waiting = [
    take('second', false),
    take('third', false),
    take('urgent', true),
    take('urgent too', true),
  ].map((taken) => taken.then((slot) => slot?.release()))
  first?.release()
  await Promise.all(waiting)
  expect(order).toEqual(['first', 'urgent', 'urgent too', 'second', 'third'])
})

test('never grants more slots than the limit, which may change meanwhile', async () => {
  let most = 2
  const { order, take } = line(new Slots(stoppedClock, () => most))
  const a = await take('a', false)
  const b = await take('b', false)
  const c = take('c', false)
  const d = take('d', false)
  most = 1
  a?.release()
  await everythingSettled()
  expect(order).toEqual(['a', 'b'])
  most = 3
  b?.release()
  await Promise.all([c, d])
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('a cancelled waiter leaves the queue, and no other waiter loses its turn', async () => {
  const { order, take } = line(new Slots(stoppedClock, () => 1))
  const first = await take('first', false)
  const off = new AbortController()
  const second = take('second', true, off.signal)
  const third = take('third', false)
  off.abort()
  expect(await second).toBeNull()
  first?.release()
  await third
  expect(order).toEqual(['first', 'second left', 'third'])
})

test('a storage that answers "slow down" halves the limit, which grows back one by one', async () => {
  let nowMs = 0
  const slots = new Slots({ wallMs: () => nowMs, monotonicMs: () => nowMs }, () => 4)
  const { order, take } = line(slots)
  const slowed = await take('before', false)
  slowed?.slowDown()
  slowed?.release()
  order.length = 0
  const held = [await take('a', false), await take('b', false)]
  const c = take('c', false)
  const d = take('d', false)
  await everythingSettled()
  expect(order).toEqual(['a', 'b'])
  nowMs = 30_000
  // One slot was returned and one was added, so two may start.
  held[0]?.release()
  await Promise.all([c, d])
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('four concurrent slow-down answers halve the limit once', async () => {
  const slots = new Slots(stoppedClock, () => 8)
  const together = await Promise.all([1, 2, 3, 4].map(() => slots.take(false, never)))
  for (const slot of together) slot?.slowDown()
  for (const slot of together) slot?.release()
  const { order, take } = line(slots)
  for (const name of ['a', 'b', 'c', 'd', 'e']) void take(name, false)
  await everythingSettled()
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})
