import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decideNotices, emptyMemory } from '../../main/shell/notices/notify-decision.ts'
import { taskbarView } from '../../main/shell/taskbar/taskbar-view.ts'
import { trayIcon, trayTip } from '../../main/shell/tray/tray-menu.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import type { Status } from '../../shared/status/status.ts'
import { mcapFile } from '../contract/sample-files.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { MonitoredStation } from '../support/monitoring/monitored-station.ts'
import { until } from '../support/station.ts'

/** Every view shows a recording that waits for a decision, even after a later good recording. */

let monitored: MonitoredStation
beforeEach(async () => {
  monitored = await MonitoredStation.open()
})
afterEach(() => monitored.close())

const WAITS = 'It waits for your decision.'
const health = { state: 'running', restarts: 0 } as const
const appSettings = draftSettingsSchema.parse({}).app

const expectHeldInTheApp = (status: Status) => {
  expect(status).toMatchObject({
    needAttention: 1,
    takesToCheck: { count: 1, held: 1, newest: [{ name: 'bad.mcap', isHeld: true }] },
    station: { state: 'attention', headline: '1 recording is not as expected, needs you' },
  })
  const view = { status, health, startAtLogin: false, system: 'linux' } as const
  expect(trayIcon(view, 0)).toBe('attention')
  expect(trayTip(view)).toContain('1 recording is not as expected, needs you')
  expect(taskbarView(view, 0).badgeCount).toBe(1)
  const { notices } = decideNotices(emptyMemory, status, appSettings, new Date())
  expect(notices.map(({ title, body }) => [title, body])).toEqual([
    ['Check this recording: bad.mcap', `/camera/wrist is missing. ${WAITS}`],
  ])
}

test('tray, status, metrics and alert show a held recording, also after a later good recording', async () => {
  const { station } = monitored
  station.configure({
    folder: { on_deviation: 'hold', expect: { channels: [{ name: '/camera/wrist' }], format: 'mcap' } },
    rest: {
      monitoring: { alert_url: monitored.alertUrl, metrics: { port: 0 } },
      follow: { poll_seconds: 0.2 },
    },
  })
  const agent = await HostedAgent.start(station)
  const statusOnce = (what: string, check: (status: Status) => boolean) =>
    until(what, () => (agent.status !== null && check(agent.status) ? agent.status : null))
  const metricsText = async () => {
    const { metrics } = await agent.call('getMonitoring', undefined)
    return (await fetch(`http://127.0.0.1:${metrics.listening!.port}/metrics`)).text()
  }
  const expectHeld = async (status: Status) => {
    expectHeldInTheApp(status)
    // The agent updates the metrics after the status.
    await expect.poll(metricsText).toMatch(/sluice_takes_to_check\{.*\} 1\n/)
    await expect.poll(metricsText).toMatch(/sluice_held_recordings\{.*owner="technician"\} 1\n/)
    const { out } = await station.sluice('status')
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      `Check this recording, bad.mcap: /camera/wrist is missing. ${WAITS}`,
    )
  }

  writeFileSync(monitored.file('bad.mcap'), await mcapFile())
  await expectHeld(await statusOnce('the recording is held', ({ takesToCheck }) => takesToCheck.held === 1))
  const alert = await monitored.waitForAlert('begins')
  expect(alert.sluice.begins).toMatchObject([
    { code: 'take-deviates', about: 'take', recordings: 1, sentence: expect.stringContaining(WAITS) },
  ])
  expect(alert.text.match(/bad\.mcap/g)).toHaveLength(1)

  // The expectation is for MCAP files, so it does not apply to this file.
  writeFileSync(monitored.file('good.bin'), 'a recording')
  await expectHeld(await statusOnce('the good one is processed', ({ counts }) => counts.processed === 1))
  expect(monitored.alerts().filter(({ sluice }) => sluice.event === 'over')).toEqual([])
  expect(await station.sessions()).toHaveLength(1)

  const [row] = (await agent.recordings()).filter(({ name }) => name === 'bad.mcap')
  await agent.call('retryRecordings', { ids: [row!.id] })
  const { takesToCheck } = await statusOnce('both are processed', ({ counts }) => counts.processed === 2)
  expect(takesToCheck).toMatchObject({ count: 0, held: 0 })
  await agent.stop()
})
