import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isOnBattery } from '../../../../../main/agent/platform/power-source.ts'
import { PowerSupplies } from '../../../../support/power-supplies.ts'

let supplies: PowerSupplies
beforeEach(() => {
  supplies = new PowerSupplies()
})
afterEach(() => rmSync(supplies.folder, { recursive: true }))

test('a laptop is on battery only if it is unplugged', async () => {
  supplies.unplug()
  expect(await isOnBattery(supplies.folder)).toBe(true)
  supplies.plugIn()
  expect(await isOnBattery(supplies.folder)).toBe(false)
})

test('a laptop that charges over USB is not on battery, even if its battery discharges', async () => {
  supplies.unplug()
  supplies.set('ucsi', { type: 'USB', online: '1' })
  expect(await isOnBattery(supplies.folder)).toBe(false)
})

test('a UPS that discharges counts as battery', async () => {
  supplies.set('ups', { type: 'UPS', status: 'Discharging' })
  expect(await isOnBattery(supplies.folder)).toBe(true)
})

test('the battery of a mouse does not count', async () => {
  supplies.set('mouse', { type: 'Battery', status: 'Discharging', scope: 'Device' })
  expect(await isOnBattery(supplies.folder)).toBe(false)
})

test('a PC without a list of power supplies, or with an empty list, is not on battery', async () => {
  expect(await isOnBattery(supplies.folder)).toBe(false)
  expect(await isOnBattery(`${supplies.folder}/missing`)).toBe(false)
})
