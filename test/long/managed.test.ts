import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { isDone, ManagedStation } from '../support/managed-station.ts'
import { needs, posix } from '../support/needs.ts'
import { until } from '../support/station.ts'

let managed: ManagedStation
afterEach(() => managed.close())

const conditions = async () => {
  const { station: reported } = (await managed.station.status()) as unknown as {
    station: { conditions?: readonly { code: string; sentence: string }[] }
  }
  return reported.conditions ?? []
}

test('a running agent applies changed managed settings, but keeps the last valid ones if the file becomes invalid', async () => {
  managed = await ManagedStation.open()
  const other = managed.at('other')
  mkdirSync(other)
  managed.rollOut(managed.settings())
  const agent = managed.start()
  await agent.waitForChange('the first recording is processed', isDone(await managed.record('first.bin')))

  const both = {
    ...managed.settings(),
    folders: [...managed.settings().folders, { ...managed.settings().folders[0], path: other, site: 'roof' }],
  }
  managed.rollOut(both)
  await writeRandomFile(path.join(other, 'second.bin'), 1234, managed.random)
  await agent.waitForChange('the new folder is watched', isDone(path.join(other, 'second.bin')))
  expect(await managed.sessionOf('second.bin')).toMatchObject({ site: 'roof' })

  managed.rollOut('{"folders": [{"path": 3}]}')
  const reported = await until('the invalid file is reported', async () =>
    (await conditions()).find(({ code }) => code === 'managed-settings-bad'),
  )
  expect(reported.sentence).toContain('folders[0].path')
  await until('the terminal reports the invalid file', () => agent.stderr.includes('folders[0].path'))
  await writeRandomFile(path.join(other, 'third.bin'), 1300, managed.random)
  await agent.waitForChange('uploads continue with the last good file', isDone(path.join(other, 'third.bin')))

  await agent.kill()
  const again = managed.start()
  await writeRandomFile(path.join(other, 'fourth.bin'), 1301, managed.random)
  await again.waitForChange(
    'the last good settings apply after a restart',
    isDone(path.join(other, 'fourth.bin')),
  )
  expect((await conditions()).map(({ code }) => code)).toContain('managed-settings-bad')

  managed.rollOut(both)
  await until('the fixed file is applied', async () => (await conditions()).length === 0)
})

test(
  'if the settings name a key file that does not exist yet, the agent queues recordings until the file exists',
  needs(posix),
  async () => {
    managed = await ManagedStation.open()
    writeFileSync(managed.at('key'), managed.station.sandbox.keys.write, { mode: 0o600 })
    managed.rollOut(managed.settings())
    const agent = managed.start()
    await agent.waitForChange('the first recording is processed', isDone(await managed.record('first.bin')))
    // The station reports a missing file at a new path at once, unlike a file that vanishes from a known path.
    managed.rollOut(
      managed.settings(
        {},
        { service: { ...managed.settings().service, api_key_file: managed.at('next-key') } },
      ),
    )
    await until('the missing key is reported', async () =>
      (await conditions()).some(({ sentence }) =>
        sentence.includes(`The key file ${managed.at('next-key')} is missing.`),
      ),
    )
    const file = await managed.record('second.bin')
    await agent.waitForChange(
      'the recording is queued',
      (line) => line.path === file && line.state === 'ready',
    )
    writeFileSync(managed.at('next-key'), managed.station.sandbox.keys.write, { mode: 0o600 })
    await agent.waitForChange('the recording continues', isDone(file))
    expect(agent.stderr).not.toContain(managed.station.sandbox.keys.write)
  },
)

test('the agent refuses an unknown placeholder, and names the setting that contains it', async () => {
  managed = await ManagedStation.open()
  const { station } = managed
  station.configure({ folder: { site: '{hostnme}' } })
  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(1)
  expect(agent.stderr).toContain('folders[0].site: unknown placeholder {hostnme}')
})
