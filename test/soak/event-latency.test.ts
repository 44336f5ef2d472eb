import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station, until } from '../support/station.ts'

const RECORDINGS = 6

/** Measures the milliseconds from `processed` at the service to the status that the agent sends to the window. */
const measureMs = async (withEvents: boolean): Promise<readonly number[]> => {
  const station = await Station.open(['--processing-delay', '9000'])
  station.configure({
    rest: {
      follow: { poll_seconds: 15 },
      ...(withEvents ? { webhooks: { receive: { port: 0 } } } : {}),
    },
  })
  const agent = await HostedAgent.start(station)
  try {
    if (withEvents) {
      const { port } = await until(
        'the receiver listens',
        async () => (await agent.call('getReceiver', undefined)).listening,
      )
      const { secret } = await agent.call('createWebhookEndpoint', {
        url: `http://127.0.0.1:${port}/webhooks`,
        events: ['session.processed'],
        idempotencyKey: crypto.randomUUID(),
      })
      agent.configure(undefined, [secret])
    }
    const shownAtMs = new Map<string, number>()
    for (let n = 0; n < RECORDINGS; n += 1) {
      const name = `${n}.bin`
      writeFileSync(path.join(station.recordings, name), `recording ${n}`)
      await until(`${name} is shown`, () => {
        if ((agent.status?.counts.processed ?? 0) <= n) return false
        shownAtMs.set(name, Date.now())
        return true
      })
      // Different delays, so that the recordings start at different times between two polls.
      await sleep((n * 1_370) % 5_000)
    }
    const answer = await station.sandbox.api('/v1/sessions?site=lab&limit=500')
    const { data } = (await answer.json()) as { data: { filename: string; processed_at: string }[] }
    return data.map(({ filename, processed_at }) => (shownAtMs.get(filename) ?? 0) - Date.parse(processed_at))
  } finally {
    await agent.stop()
    await station.close()
  }
}

const summarise = (valuesMs: readonly number[]) => {
  const sorted = [...valuesMs].sort((a, b) => a - b)
  return { median: sorted[Math.floor(sorted.length / 2)], worst: sorted.at(-1) }
}

test('measures the time from `processed` at the service to the window’s status, with polling and with events', async () => {
  const polling = await measureMs(false)
  const events = await measureMs(true)
  console.log(
    JSON.stringify({ recordings: RECORDINGS, pollingMs: summarise(polling), eventsMs: summarise(events) }),
  )
  expect([polling.length, events.length]).toEqual([RECORDINGS, RECORDINGS])
})
