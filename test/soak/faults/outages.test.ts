import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { testFault } from '../../support/faults/test-fault.ts'

const downMs = 20_000
const MAX_REQUESTS = 20

const uploadHalfWay = async (faultStation: FaultStation): Promise<void> => {
  await recordHalfWay(faultStation)
  faultStation.run()
  await waitForHalfWay(faultStation)
}

testFault('byte-a-second', [], async ({ station }) => {
  const faultStation = await station()
  await uploadHalfWay(faultStation)
  faultStation.proxy.rule = () => ({ kind: 'byte-a-second' })
  await faultStation.record('new.bin')
  await sleep(30_000)
  const requestsBeforeEnd = faultStation.proxy.count()
  faultStation.proxy.rule = () => null
  return { 'requests before the fault ended': requestsBeforeEnd }
})

testFault('storage-down', [], async ({ station }) => {
  const faultStation = await station()
  await uploadHalfWay(faultStation)
  await faultStation.proxy.close('storage')
  faultStation.proxy.rule = () => null
  await faultStation.waitForCondition('storage-unreachable')
  const before = faultStation.proxy.count()
  await sleep(downMs)
  const requests = faultStation.proxy.count() - before
  expect(requests).toBeLessThanOrEqual(MAX_REQUESTS)
  await faultStation.proxy.open('storage')
  return { 'requests in 20 s': requests }
})

testFault('control-down', [], async ({ station }) => {
  const faultStation = await station()
  await uploadHalfWay(faultStation)
  await faultStation.proxy.close('control')
  const countParts = () => faultStation.proxy.count(({ route, status }) => route === 'part' && status === 200)
  const before = countParts()
  await faultStation.record('new.bin')
  await faultStation.waitForCondition('service-unreachable')
  await sleep(downMs)
  const parts = countParts() - before
  expect(parts, 'parts in flight arrive').toBeGreaterThan(0)
  await faultStation.proxy.open('control')
  faultStation.proxy.rule = () => null
  return { 'parts stored without the control API': parts }
})
