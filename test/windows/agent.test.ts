import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { seeded } from '../support/seeded.ts'
import { AgentProcess, PART, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const record = (name: string, bytes: number) =>
  writeRandomFile(path.join(station.recordings, name), bytes, seeded(bytes))

test('refuses a second agent on the same data folder, even with its path in capitals, and starts again after a kill', async () => {
  station = await Station.open()
  await record('take.bin', 900)
  const first = station.agent()
  await first.waitForChange('the recording is processed', ({ state }) => state === 'processed')

  const second = new AgentProcess([
    'run',
    '--until-idle',
    ...['--settings', station.settingsFile, '--data', station.data.toUpperCase()],
  ])
  expect(await second.ended).toBe(1)
  expect(second.stderr).toMatch(/already uses the data folder/)
  expect((await station.status()).recordings).toHaveLength(1)

  await first.kill()
  await record('later.bin', 901)
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
})

test('the sandbox keeps its data when it stops, and the agent completes its upload once the sandbox runs again', async () => {
  station = await Station.open()
  const { port } = new URL(station.sandbox.baseUrl)
  await record('whole.bin', 1000)
  expect(await station.runToIdle()).toBe(0)
  // This delay keeps the session open until the sandbox stops.
  await station.fault({ route: 'complete', count: 1_000, effect: { kind: 'latency', ms: 600_000 } })
  await record('parts.bin', 2 * PART)
  const agent = station.agent('--until-idle')
  await agent.waitForChange('the session is being completed', ({ state }) => state === 'completing')
  await station.sandbox.stop()

  const again = await SandboxProcess.start(path.join(station.root, 'service'), ['--port', port])
  try {
    expect(await agent.ended).toBe(0)
    const sessions = (await (await again.api('/v1/sessions?site=lab')).json()) as {
      data: { status: string }[]
    }
    expect(sessions.data.map(({ status }) => status)).toEqual(['processed', 'processed'])
  } finally {
    await again.stop()
  }
})
