import { afterEach, describe, expect, test } from 'vitest'
import { isDone, ManagedStation } from '../support/managed-station.ts'

let managed: ManagedStation
afterEach(() => managed.close())

describe('a headless station', () => {
  test('runs on managed settings alone, with the key from their key file', async () => {
    managed = await ManagedStation.open()
    const file = await managed.record('take.bin')
    managed.rollOut(managed.settings())
    const agent = managed.start('--until-idle')
    expect(await agent.ended).toBe(0)
    expect(agent.lines.some(isDone(file))).toBe(true)
  })

  test('reports which settings are missing', async () => {
    managed = await ManagedStation.open()
    const agent = managed.start('--until-idle')
    expect(await agent.ended).toBe(1)
    expect(agent.stderr).toContain('service: no address')
  })
})
