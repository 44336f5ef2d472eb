import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MonitoredStation, SECRET } from '../support/monitoring/monitored-station.ts'
import { Receiver } from '../support/monitoring/receiver.ts'
import { until } from '../support/station.ts'

let watched: MonitoredStation
beforeEach(async () => {
  watched = await MonitoredStation.open()
})
afterEach(() => watched.close())

test('sends one alert when a problem needs attention, even across a kill, and one when the problem is resolved', async () => {
  watched.configureMonitoring({ alert_url: watched.alertUrl })
  writeFileSync(watched.file('empty.bin'), '')
  const first = watched.station.agent()
  const begins = await watched.waitForAlert('begins')
  expect(begins.text).toContain('1 recording: The file is empty')
  await until('the alert is recorded as delivered', () => !watched.isWaiting())
  await first.kill('SIGKILL')
  const second = watched.station.agent()
  await second.waitForChange(
    'the problem is known again',
    ({ path: at, problem }) => at.endsWith('empty.bin') && problem !== null,
  )
  writeFileSync(watched.file('empty.bin'), 'written later')
  const over = await watched.waitForAlert('over')
  expect(over.text).toContain('no longer needs attention')
  expect(watched.alerts().map(({ sluice }) => sluice.event)).toEqual(['begins', 'over'])
  await second.kill('SIGTERM')
  expect([watched.logText(), first.stderr, second.stderr].join('')).not.toContain(SECRET)
})

test('alerts follow no redirect of the receiver; they repeat after an error, and after a kill with the same id', async () => {
  const other = await Receiver.open()
  watched.receiver.answer = { redirectTo: `${other.origin}/elsewhere` }
  watched.configureMonitoring({ alert_url: watched.alertUrl })
  writeFileSync(watched.file('empty.bin'), '')
  const first = watched.station.agent()
  await until('the receiver has redirected an alert', () => watched.alerts().length >= 1)
  watched.receiver.answer = { status: 503 }
  await until('the receiver has refused an alert', () => watched.alerts().length >= 2)
  watched.receiver.answer = { never: true }
  await until('the receiver has left an alert unanswered', () => watched.alerts().length >= 3)
  await first.kill('SIGKILL')
  watched.receiver.answer = { status: 200 }
  const before = watched.alerts().length
  const second = watched.station.agent()
  await until('the receiver accepted an alert', () => watched.alerts().length > before)
  await second.waitForChange('the second agent shows the problem', ({ problem }) => problem !== null)
  expect(new Set(watched.alerts().map(({ id }) => id)).size).toBe(1)
  expect(other.messages).toEqual([])
  other.close()
  await second.kill('SIGTERM')
  const log = watched.logText()
  for (const words of ['answers with a redirect (307)', 'answers with status 503'])
    expect(log).toContain(words)
})
