import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-again.ts'
import { seeded } from '../support/seeded.ts'
import { AgentProcess, Station } from '../support/station.ts'

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

describe('a headless station', () => {
  test('runs on managed settings alone, with the key from its file', async () => {
    await open()
    const file = await record('take.bin')
    rollOut(managed())
    const agent = start('--until-idle')
    expect(await agent.ended).toBe(0)
    expect(agent.lines.some(isDone(file))).toBe(true)
  })

  test('names the missing settings if it has none', async () => {
    await open()
    const agent = start('--until-idle')
    expect(await agent.ended).toBe(1)
    expect(agent.stderr).toContain('service: no address')
  })
})

describe('placeholders', () => {
  test('are filled in when the session is created, with the notes beside the recording', async () => {
    await open()
    const folder = {
      site: '{hostname} {1}',
      device: '{folder}-{2}',
      notes: 'Take {stem}.',
      notes_sidecar: '.txt',
    }
    rollOut(managed(folder))
    await record('alpha/day 2/take.mcap.bin')
    writeFileSync(path.join(station.recordings, 'alpha/day 2/take.mcap.txt'), '\uFEFFSensor 3 was loose.\r\n')
    await record('alpha/day 2/other.txt')
    const agent = start('--until-idle')
    expect(await agent.ended).toBe(0)
    expect(await sessionOf('take.mcap.bin')).toMatchObject({
      site: `${hostname()} alpha`,
      device: `${path.basename(station.recordings)}-day 2`,
      notes: 'Take take.mcap.\n\nSensor 3 was loose.',
    })
    // A notes file without a recording is an ordinary file.
    expect(await sessionOf('other.txt')).toMatchObject({ notes: 'Take other.' })
    expect((await station.status()).recordings).toHaveLength(2)
  })

  test('without a value put only their recording on hold, and the problem names the field', async () => {
    await open()
    rollOut(managed({ site: 'lab {1}' }))
    const lost = await record('at the top.bin')
    const agent = start()
    await agent.waitForChange('the other one continues', isDone(await record('alpha/take.bin')))
    const { problem } = await agent.waitForChange(
      'it waits',
      (line) => line.path === lost && line.problem !== null,
    )
    expect(problem).toMatchObject({ code: 'placeholder-unfilled', param: 'site', owner: 'admin' })
    expect(problem?.sentence).toContain('site: {1} has no value here')
    expect(await sessionOf('at the top.bin')).toBeUndefined()

    rollOut(managed({ site: 'lab' }))
    await agent.waitForChange('it continues', isDone(lost))
    expect(await sessionOf('at the top.bin')).toMatchObject({ site: 'lab' })
  })
})
