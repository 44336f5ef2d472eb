import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { moveStation } from '../../../main/cli/service/move-station.ts'
import { frameOf } from '../../../main/endpoint/frames.ts'
import type { Bridge, CallArgs, CallName, CallResult, SettingsState } from '../../../shared/ipc/ipc.ts'
import { type App, AppStation, goTo, waitForState, window } from '../../e2e/app.ts'
import { needs, posix } from '../../support/needs.ts'
import { isLong } from '../../support/runs.ts'
import type { SandboxProcess } from '../../support/sandbox-process.ts'
import { AgentProcess, until } from '../../support/station.ts'
import { sluice } from '../../support/typed-command.ts'

/** Slow enough that a test can see the upload in progress. */
const LIMIT_MBIT_PER_S = 26
const BIG_BYTES = 16 * 1024 * 1024
const KILLS = isLong ? 10 : 2

/** Makes a call as the page does. Throws the message of a refused call. */
const call = async <N extends CallName>(page: Page, name: N, args?: CallArgs<N>): Promise<CallResult<N>> => {
  const answer = await page.evaluate(
    ([callName, callArgs]) => {
      const { sluice: bridge } = globalThis as unknown as { readonly sluice: Bridge }
      return (bridge.call[callName as CallName] as (value: unknown) => ReturnType<Bridge['call']['resume']>)(
        callArgs,
      )
    },
    [name, args] as const,
  )
  if (!answer.ok) throw new Error(answer.error.message)
  return answer.value as CallResult<N>
}

describe('a window that attaches to a running agent', needs(window, posix), () => {
  let station: AppStation
  let sandbox: SandboxProcess
  let app: App
  let agent: AgentProcess

  const record = (name: string, bytes: number) =>
    writeFileSync(path.join(station.recordings, name), randomBytes(bytes))
  const startAgent = (data = station.data) => {
    agent = new AgentProcess(['run', '--data', data, '--json'])
    const startedAgent = agent
    station.closeAtEnd(() => startedAgent.kill())
  }
  const attachedBar = () => app.page.getByText(/^Attached to a terminal of /)

  beforeAll(async () => {
    station = new AppStation()
    sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [
        { path: station.recordings, site: 'Hall 3', settle_seconds: 1, part_size_bytes: 8 * 1024 * 1024 },
      ],
      transfer: { limit_mbit_per_s: LIMIT_MBIT_PER_S },
      follow: { poll_seconds: 1 },
    })
    startAgent()
    await until('the agent listens', () => existsSync(path.join(station.data, 'agent.sock')))
    app = await station.startApp()
    await attachedBar().waitFor()
    await goTo(app.page, 'Recordings')
  })
  afterAll(() => station.close())

  it('starts no agent of its own, and shows the progress of the running agent', async () => {
    expect(await app.pidOf('Sluice agent')).toBeNull()
    record('long.bin', BIG_BYTES)
    await waitForState(app.page, 'long.bin', 'Uploading')
    await app.page.getByRole('progressbar', { name: 'long.bin uploaded' }).waitFor()
    await waitForState(app.page, 'long.bin', 'Safe')
  })

  it('pauses the agent, and shows that a command in the terminal has resumed it', async () => {
    const { page } = app
    const isPaused = async () =>
      JSON.parse((await sluice('status', '--json', '--data', station.data)).out).station.paused as boolean
    await page.getByRole('button', { name: 'Pause uploads' }).click()
    await page.getByRole('menuitem', { name: 'Until I resume' }).click()
    await page.getByRole('button', { name: 'Resume uploads' }).waitFor()
    expect(await isPaused()).toBe(true)
    await sluice('resume', '--data', station.data)
    await page.getByRole('button', { name: 'Pause uploads' }).waitFor()
    expect(await isPaused()).toBe(false)
  })

  it('changes the settings and the key of the agent, but cannot read the key back', async () => {
    const { page } = app
    const { settings } = (await call(page, 'getSettings')) as SettingsState
    const renamed = { ...settings, app: { ...settings.app, station_name: 'Hall 3 left' } }
    expect(await call(page, 'saveSettings', renamed)).toEqual({ ok: true })
    await until('the window shows the new name', async () => {
      const { settings: now } = (await call(page, 'getSettings')) as SettingsState
      return now.app.station_name === 'Hall 3 left'
    })
    const newKey = { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.write, acceptUnprotected: true }
    await call(page, 'saveKey', newKey)
    expect(readFileSync(path.join(station.data, 'settings.json'), 'utf8')).not.toContain(sandbox.keys.write)
    expect(existsSync(path.join(station.data, 'agent-key.json'))).toBe(true)
    expect(existsSync(path.join(station.data, 'key.bin'))).toBe(false)
    const answers = [await call(page, 'getSettings'), await call(page, 'getSecretStorage')]
    expect(JSON.stringify(answers)).not.toContain(sandbox.keys.write)
    record('with-key.bin', 1_000)
    await waitForState(page, 'with-key.bin', 'Safe')
  })

  it('prioritises, deletes at the service, and saves receipts and reports', async () => {
    const { page } = app
    const { rows } = await call(page, 'listRecordings', {})
    const [first] = rows
    if (first === undefined) throw new Error('there is no recording')
    await call(page, 'prioritiseRecordings', { ids: [first.id] })
    const receipt = path.join(station.folder('saved'), 'receipt.json')
    await app.saveDialogsTo(receipt)
    expect(await call(page, 'saveReceipt', { of: { ids: [first.id] } })).toMatchObject({ recordings: 1 })
    const report = `${receipt}.report`
    await app.saveDialogsTo(report)
    await call(page, 'saveSupportReport')
    expect(readFileSync(report, 'utf8')).toContain('"host": "terminal"')
    expect((await call(page, 'listLogLines', {})).lines.length).toBeGreaterThan(0)
    expect((await call(page, 'listActivity', {})).entries.length).toBeGreaterThan(0)
    expect((await call(page, 'checkStation')).length).toBeGreaterThan(0)
    const detail = await call(page, 'getRecording', { id: first.id })
    await app.answerQuestions(true)
    await call(page, 'deleteSession', { id: detail?.session?.id ?? '', typed: 'delete' })
    expect((await sandbox.api(`/v1/sessions/${detail?.session?.id}`)).status).toBe(404)
  })

  it('shows that the agent stopped, and attaches again on the same screen, after each kill -9', async () => {
    const { page } = app
    for (let round = 0; round < KILLS; round += 1) {
      await agent.kill('SIGKILL')
      await page.getByText('Agent stopped', { exact: true }).waitFor()
      await page.getByText(/nothing is uploaded/).waitFor()
      startAgent()
      await attachedBar().waitFor()
    }
    record('after.bin', 1_000)
    await waitForState(page, 'after.bin', 'Safe')
  })

  it('starts its own agent with the same settings and key if the user presses “Start the agent”', async () => {
    const { page } = app
    await agent.kill('SIGTERM')
    await page.getByRole('button', { name: 'Start the agent' }).click()
    await page.getByText('Agent stopped', { exact: true }).waitFor({ state: 'detached' })
    await attachedBar().waitFor({ state: 'detached' })
    record('own.bin', 1_000)
    await waitForState(page, 'own.bin', 'Safe')
    expect(await app.pidOf('Sluice agent')).not.toBeNull()
    const { settings } = (await call(page, 'getSettings')) as SettingsState
    expect(settings.app.station_name).toBe('Hall 3 left')
  })

  it('shows whether the window or the agent is older if their protocols differ', async () => {
    await app.quit()
    const socket = path.join(station.data, 'agent.sock')
    rmSync(socket, { force: true })
    let protocol = 0
    const server = createServer((client) => {
      client.on('error', () => {})
      const refusal = { kind: 'refused', protocol, version: '9.8.7', message: 'words of a different version' }
      client.resume().end(frameOf(refusal))
    })
    server.listen(socket)
    await once(server, 'listening')
    app = await station.startApp()
    await app.page
      .getByText(/The agent is older than this window.*9\.8\.7/)
      .first()
      .waitFor()
    protocol = 99
    await app.page
      .getByText(/This window is older than the agent.*9\.8\.7/)
      .first()
      .waitFor()
    // When the real agent is back, the window attaches without a restart.
    await new Promise((resolve) => server.close(resolve))
    startAgent()
    await attachedBar().waitFor()
  })
  it('follows a station that moved to the background service, even after a restart', async () => {
    const { page } = app
    await agent.kill('SIGTERM')
    await page.getByText('Agent stopped', { exact: true }).waitFor()
    const serviceFolder = station.folder('service')
    moveStation(station.data, serviceFolder, null)
    await page
      .getByText(/This station has moved to .*service, and this window finds no agent there/)
      .first()
      .waitFor()
    // The window must not start an agent in the folder that the station has left.
    await page.getByRole('button', { name: 'Start the agent' }).click()
    startAgent(serviceFolder)
    await attachedBar().waitFor()
    expect(await app.pidOf('Sluice agent')).toBeNull()
    record('moved.bin', 1_000)
    await goTo(page, 'Recordings')
    await waitForState(page, 'moved.bin', 'Safe')
    await app.quit()
    app = await station.startApp()
    await attachedBar().waitFor()
    expect(await app.pidOf('Sluice agent')).toBeNull()
  })
})
