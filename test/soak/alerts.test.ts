import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MonitoredStation, SECRET } from '../support/monitoring/monitored-station.ts'
import { Receiver } from '../support/monitoring/receiver.ts'
import { until } from '../support/station.ts'

let monitored: MonitoredStation
beforeEach(async () => {
  monitored = await MonitoredStation.open()
})
afterEach(() => monitored.close())

test('sends one alert for a problem, even after a kill, and one when the problem is resolved', async () => {
  monitored.configureMonitoring({ alert_url: monitored.alertUrl })
  writeFileSync(monitored.file('empty.bin'), '')
  const first = monitored.station.agent()
  const firstAlert = await monitored.waitForAlert('begins')
  expect(firstAlert.text).toContain('1 recording: The file is empty')
  await until('the alert is recorded as delivered', () => !monitored.isWaiting())
  await first.kill('SIGKILL')
  const second = monitored.station.agent()
  await second.waitForChange(
    'the problem is known again',
    ({ path: file, problem }) => file.endsWith('empty.bin') && problem !== null,
  )
  writeFileSync(monitored.file('empty.bin'), 'written later')
  const resolvedAlert = await monitored.waitForAlert('over')
  expect(resolvedAlert.text).toContain('no longer needs attention')
  expect(monitored.alerts().map(({ sluice }) => sluice.event)).toEqual(['begins', 'over'])
  await second.kill('SIGTERM')
  expect([monitored.logText(), first.stderr, second.stderr].join('')).not.toContain(SECRET)
})

test('follows no redirect of an alert receiver, and repeats the alert with the same ID after an error or a kill', async () => {
  const otherReceiver = await Receiver.open()
  monitored.receiver.answer = { redirectTo: `${otherReceiver.origin}/elsewhere` }
  monitored.configureMonitoring({ alert_url: monitored.alertUrl })
  writeFileSync(monitored.file('empty.bin'), '')
  const first = monitored.station.agent()
  await until('the receiver has redirected an alert', () => monitored.alerts().length >= 1)
  monitored.receiver.answer = { status: 503 }
  await until('the receiver has refused an alert', () => monitored.alerts().length >= 2)
  monitored.receiver.answer = { never: true }
  await until('the receiver has left an alert unanswered', () => monitored.alerts().length >= 3)
  await first.kill('SIGKILL')
  monitored.receiver.answer = { status: 200 }
  const alertsBefore = monitored.alerts().length
  const second = monitored.station.agent()
  await until('the receiver accepted an alert', () => monitored.alerts().length > alertsBefore)
  await second.waitForChange('the second agent shows the problem', ({ problem }) => problem !== null)
  expect(new Set(monitored.alerts().map(({ id }) => id)).size).toBe(1)
  expect(otherReceiver.messages).toEqual([])
  otherReceiver.close()
  await second.kill('SIGTERM')
  const log = monitored.logText()
  for (const words of ['answers with a redirect (307)', 'answers with status 503'])
    expect(log).toContain(words)
})
