import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { redact } from '../../shared/redaction/redact.ts'
import { Station, until } from '../support/station.ts'
import { deliver, eventBody } from '../support/webhooks/deliver.ts'
import {
  EVENTS_ONLY,
  isProcessed,
  portOf,
  SLOW_PROCESSING,
  secretIn,
} from '../support/webhooks/receiving-station.ts'

let station: Station
const openStation = async (flags: readonly string[] = []) => {
  station = await Station.open(flags)
  station.configure(EVENTS_ONLY)
}
afterEach(() => station.close())

const register = async (url: string, ...flags: string[]) => {
  const registration = await station.sluice('webhook', url, '--settings', station.settingsFile, ...flags)
  return { ...registration, secret: secretIn(registration.out) }
}
const record = (name: string) => writeFileSync(path.join(station.recordings, name), `a recording ${name}`)

describe('a station that polls rarely', () => {
  test('shows `processed` after a webhook event, without a restart after `sluice webhook`', async () => {
    await openStation(SLOW_PROCESSING)
    const agent = station.agent()
    const port = await portOf(agent)
    const registration = await register(`http://127.0.0.1:${port}/webhooks`)
    expect(registration).toMatchObject({ code: 0, err: '' })
    expect(registration.secret).not.toBe('')
    record('a.bin')
    await agent.waitForChange('the event shows the recording as processed', isProcessed('a.bin'))
    const { routes } = await station.stats()
    expect(routes.webhook).toBeGreaterThanOrEqual(1)
    await station.expectAllSafe()
  })
})

describe('`sluice webhook`', () => {
  test('prints the secret once and stores it in a file that only its owner can read; no log contains it', async () => {
    await openStation()
    const { out, secret } = await register('http://127.0.0.1:9/webhooks')
    expect(out).toContain('Registered http://127.0.0.1:9/webhooks for session.processed and session.failed.')
    expect(out.split(secret)).toHaveLength(2)
    const file = path.join(station.data, 'webhooks.json')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain(secret)
    const agent = station.agent()
    const port = await portOf(agent)
    await deliver(port, 'whsec_wrong', eventBody('evt_1', 'ses_1'))
    await deliver(port, secret, eventBody('evt_1', 'ses_1'))
    await agent.kill('SIGTERM')
    const logs = path.join(station.data, 'logs')
    const logTexts = readdirSync(logs).map((name) => readFileSync(path.join(logs, name), 'utf8'))
    expect(logTexts.join('')).toContain('the service sent an event')
    expect([...logTexts, agent.stderr].join('')).not.toContain('whsec_')
    expect(redact(`secret ${secret}`)).not.toContain(secret)
  })

  test('shows the service’s own words after a refusal', async () => {
    await openStation()
    const registration = await register('https://10.0.0.1/webhooks')
    expect(registration).toMatchObject({ code: 1, out: '' })
    expect(registration.err).toContain('The service does not accept this URL')
    expect(registration.err).toContain('private network')
  })
})

test('the agent reports a damaged file of webhook secrets, and uploads continue', async () => {
  await openStation()
  await register('http://127.0.0.1:9/webhooks')
  writeFileSync(path.join(station.data, 'webhooks.json'), '{"origin":', { mode: 0o600 })
  station.configure({ rest: { ...EVENTS_ONLY.rest, follow: { poll_seconds: 0.2 } } })
  const agent = station.agent()
  record('a.bin')
  await agent.waitForChange('processed', isProcessed('a.bin'))
  expect(agent.stderr).toContain('webhooks.json is damaged')
  await until('the problem is printed', () => agent.stderr.includes('this station has no webhook secret'))
})
