import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { isDone, ManagedStation } from '../support/managed-station.ts'

let managed: ManagedStation
afterEach(() => managed.close())

describe('placeholders', () => {
  test('are filled in when Sluice creates the session, and the notes file is appended to the notes', async () => {
    managed = await ManagedStation.open()
    const folder = {
      site: '{hostname} {1}',
      device: '{folder}-{2}',
      notes: 'Take {stem}.',
      notes_sidecar: '.txt',
    }
    managed.rollOut(managed.settings(folder))
    await managed.record('alpha/day 2/take.mcap.bin')
    writeFileSync(
      path.join(managed.station.recordings, 'alpha/day 2/take.mcap.txt'),
      '\uFEFFSensor 3 was loose.\r\n',
    )
    await managed.record('alpha/day 2/other.txt')
    const agent = managed.start('--until-idle')
    expect(await agent.ended).toBe(0)
    expect(await managed.sessionOf('take.mcap.bin')).toMatchObject({
      site: `${hostname()} alpha`,
      device: `${path.basename(managed.station.recordings)}-day 2`,
      notes: 'Take take.mcap.\n\nSensor 3 was loose.',
    })
    // A notes file without a recording is uploaded like any other file.
    expect(await managed.sessionOf('other.txt')).toMatchObject({ notes: 'Take other.' })
    expect((await managed.station.status()).recordings).toHaveLength(2)
  })

  test('without a value put only their recording on hold, and the problem names the field', async () => {
    managed = await ManagedStation.open()
    managed.rollOut(managed.settings({ site: 'lab {1}' }))
    const unfilledFile = await managed.record('at the top.bin')
    const agent = managed.start()
    await agent.waitForChange('the other recording continues', isDone(await managed.record('alpha/take.bin')))
    const { problem } = await agent.waitForChange(
      'the recording without a value waits',
      (line) => line.path === unfilledFile && line.problem !== null,
    )
    expect(problem).toMatchObject({ code: 'placeholder-unfilled', param: 'site', owner: 'admin' })
    expect(problem?.sentence).toContain('site: {1} has no value here')
    expect(await managed.sessionOf('at the top.bin')).toBeUndefined()

    managed.rollOut(managed.settings({ site: 'lab' }))
    await agent.waitForChange('the recording continues', isDone(unfilledFile))
    expect(await managed.sessionOf('at the top.bin')).toMatchObject({ site: 'lab' })
  })
})
