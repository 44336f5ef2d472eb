import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { play } from '../../support/faults/play.ts'

const downMs = 20_000
const mostCalls = 20

const halfWay = async (one: FaultStation): Promise<void> => {
  await recordHalfWay(one)
  one.run()
  await waitForHalfWay(one)
}

play('byte-a-second', [], async ({ station }) => {
  const one = await station()
  await halfWay(one)
  one.proxy.rule = () => ({ kind: 'byte-a-second' })
  await one.record('new.bin')
  await sleep(30_000)
  const meanwhile = one.proxy.count()
  one.proxy.rule = () => null
  return { 'requests by then': meanwhile }
})

play('storage-down', [], async ({ station }) => {
  const one = await station()
  await halfWay(one)
  await one.proxy.close('storage')
  one.proxy.rule = () => null
  await one.waitForCondition('storage-unreachable')
  const before = one.proxy.count()
  await sleep(downMs)
  const calls = one.proxy.count() - before
  expect(calls).toBeLessThanOrEqual(mostCalls)
  await one.proxy.open('storage')
  return { 'calls in 20 s': calls }
})

play('control-down', [], async ({ station }) => {
  const one = await station()
  await halfWay(one)
  await one.proxy.close('control')
  await one.record('new.bin')
  await one.waitForCondition('service-unreachable')
  const before = one.proxy.count(({ route, status }) => route === 'part' && status === 200)
  await sleep(downMs)
  const parts = one.proxy.count(({ route, status }) => route === 'part' && status === 200)
  expect(parts, 'parts continue').toBeGreaterThanOrEqual(before)
  await one.proxy.open('control')
  one.proxy.rule = () => null
  return { 'parts stored without the control API': parts }
})
