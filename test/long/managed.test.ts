import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-again.ts'
import { needs, posix } from '../support/needs.ts'
import { seeded } from '../support/seeded.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

let station: Station
let agents: AgentProcess[] = []
afterEach(async () => {
  for (const agent of agents) await agent.kill()
  agents = []
  await station.close()
})

const random = seeded(5)
const record = async (name: string): Promise<string> => {
  const file = path.join(station.recordings, name)
  mkdirSync(path.dirname(file), { recursive: true })
  await writeRandomFile(file, 900 + name.length, random)
  return file
}
const at = (name: string) => path.join(station.root, name)
/** Replaces the file atomically, as deployment tools do. */
const rollOut = (content: unknown): void => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(at('managed.new'), text, { mode: 0o600 })
  renameSync(at('managed.new'), at('managed.json'))
}
const start = (...flags: string[]): AgentProcess => {
  const agent = new AgentProcess([
    'run',
    '--data',
    station.data,
    '--managed',
    at('managed.json'),
    '--json',
    ...flags,
  ])
  agents.push(agent)
  return agent
}
const conditions = async () => {
  const { station: reported } = (await station.status()) as unknown as {
    station: { conditions?: readonly { code: string; sentence: string }[] }
  }
  return reported.conditions ?? []
}
const sessionOf = async (name: string) => {
  const answer = await station.sandbox.api('/v1/sessions?limit=500')
  const { data } = (await answer.json()) as {
    data: { id: string; filename: string; site: string; device?: string; notes?: string }[]
  }
  return data.find(({ filename }) => filename === name)
}
const isDone = (file: string) => (line: { path: string; state: string }) =>
  line.path === file && line.state === 'processed'

const managed = (folder: object = {}, rest: object = {}) => ({
  service: { base_url: station.sandbox.baseUrl, api_key_file: at('key') },
  folders: [{ path: station.recordings, site: 'lab', settle_seconds: 0.3, ...folder }],
  follow: { poll_seconds: 0.2 },
  ...rest,
})
const open = async () => {
  station = await Station.open()
  writeFileSync(at('key'), `${station.sandbox.keys.write}\n`, { mode: 0o600 })
}

test('applies a change while it runs; keeps and reports the last good file while the file is invalid, even after a restart', async () => {
  await open()
  const other = at('other')
  mkdirSync(other)
  rollOut(managed())
  const agent = start()
  await agent.waitForChange('it runs', isDone(await record('first.bin')))

  const both = {
    ...managed(),
    folders: [...managed().folders, { ...managed().folders[0], path: other, site: 'roof' }],
  }
  rollOut(both)
  await writeRandomFile(path.join(other, 'second.bin'), 1234, random)
  await agent.waitForChange('the new folder is watched', isDone(path.join(other, 'second.bin')))
  expect(await sessionOf('second.bin')).toMatchObject({ site: 'roof' })

  rollOut('{"folders": [{"path": 3}]}')
  const reported = await until('the invalid file is reported', async () =>
    (await conditions()).find(({ code }) => code === 'managed-settings-bad'),
  )
  expect(reported.sentence).toContain('folders[0].path')
  await until('the terminal reports it', () => agent.stderr.includes('folders[0].path'))
  await writeRandomFile(path.join(other, 'third.bin'), 1300, random)
  await agent.waitForChange('the held recordings continue', isDone(path.join(other, 'third.bin')))

  await agent.kill()
  const again = start()
  await writeRandomFile(path.join(other, 'fourth.bin'), 1301, random)
  await again.waitForChange('it holds after a restart', isDone(path.join(other, 'fourth.bin')))
  expect((await conditions()).map(({ code }) => code)).toContain('managed-settings-bad')

  rollOut(both)
  await until('the fixed file is applied', async () => (await conditions()).length === 0)
})

test(
  'continues with a new key when the key file is replaced; without a key, it queues recordings and reports it',
  needs(posix),
  async () => {
    await open()
    writeFileSync(at('key'), station.sandbox.keys.write, { mode: 0o600 })
    rollOut(managed())
    const agent = start()
    await agent.waitForChange('it runs', isDone(await record('first.bin')))
    // A new path that does not exist is reported at once. A separate test covers the wait for a vanished file.
    rollOut(managed({}, { service: { ...managed().service, api_key_file: at('next-key') } }))
    await until('the missing key is reported', async () =>
      (await conditions()).some(({ sentence }) =>
        sentence.includes(`The key file ${at('next-key')} is missing.`),
      ),
    )
    const file = await record('second.bin')
    await agent.waitForChange('it is queued', (line) => line.path === file && line.state === 'ready')
    writeFileSync(at('next-key'), station.sandbox.keys.write, { mode: 0o600 })
    await agent.waitForChange('it continues', isDone(file))
    expect(agent.stderr).not.toContain(station.sandbox.keys.write)
  },
)

test('that are unknown are refused at their field', async () => {
  station = await Station.open()
  station.configure({ folder: { site: '{hostnme}' } })
  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(1)
  expect(agent.stderr).toContain('folders[0].site: unknown placeholder {hostnme}')
})
