import { afterEach, beforeEach, expect, test } from 'vitest'
import { heartbeatMessage } from '../../../../../main/agent/domain/heartbeat.ts'
import { HeartbeatSender } from '../../../../../main/agent/monitoring/heartbeat-sender.ts'
import { SimulatedMonitoring } from '../../../../support/monitoring/simulated-monitoring.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'
import { aProblem, aStatus } from '../../shell/status-fixture.ts'

const PING_URL = 'https://hc.example.com/ping/0f1e'

let world: SimulatedMonitoring
let sender: HeartbeatSender
let temp: TempJournal
const startSender = () => {
  const { settings, clock, random, log, monitoring } = world
  sender = new HeartbeatSender({ journal: temp.journal, settings, clock, random, log, monitoring })
}
beforeEach(() => {
  world = new SimulatedMonitoring()
  world.monitoringSettings = { heartbeat_url: PING_URL, heartbeat_seconds: 60 }
  temp = openTempJournal(world.clock.wallMs)
  startSender()
})
afterEach(() => temp.close())

const sentPings = () => world.sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`)
const statusWithProblem = () =>
  aStatus({
    station: { headline: 'Disk full, needs you', detail: '' },
    problems: [{ problem: aProblem({ code: 'disk-full', endsBy: 'person' }), count: 0, examples: [] }],
  })

test('sends a log line at start, then a success ping per interval', async () => {
  await world.pass(sender, 130)
  expect(sentPings()).toEqual(['POST /ping/0f1e/log', 'GET /ping/0f1e', 'GET /ping/0f1e', 'GET /ping/0f1e'])
  expect(world.sent[0]?.body?.text).toBe(
    'Sluice runs on capture-pc-07. All 42 recordings are safe · Last one 3 min ago · Version 1.0.0, channel stable.',
  )
})

test('reports a problem and its end at once, and repeats the problem every interval', async () => {
  await world.pass(sender, 10)
  world.status = statusWithProblem()
  await world.pass(sender, 70)
  world.status = aStatus()
  await world.pass(sender, 6)
  expect(sentPings().slice(2)).toEqual(['POST /ping/0f1e/fail', 'POST /ping/0f1e/fail', 'GET /ping/0f1e'])
  expect(world.sent[2]?.body?.text).toBe('Disk full, needs you · Version 1.0.0, channel stable.')
})

test('after a restart, a refused key stays a failure until the service answers, but a problem on this PC does not', async () => {
  const keyRefused = aProblem({ code: 'key-refused', endsBy: 'key' })
  world.status = aStatus({
    station: { problem: keyRefused, conditions: [keyRefused] },
    problems: [{ problem: keyRefused, count: 0, examples: [] }],
  })
  await world.pass(sender, 10)
  startSender()
  world.status = aStatus({ station: { serviceReachable: null } })
  await world.pass(sender, 10)
  world.status = aStatus({ station: { serviceReachable: true } })
  await world.pass(sender, 10)
  const startAndFailure = ['POST /ping/0f1e/log', 'POST /ping/0f1e/fail']
  expect(sentPings()).toEqual([...startAndFailure, ...startAndFailure, 'GET /ping/0f1e'])
  world.status = statusWithProblem()
  await world.pass(sender, 10)
  startSender()
  world.status = aStatus({ station: { serviceReachable: null } })
  await world.pass(sender, 10)
  expect(sentPings().at(-1)).toBe('GET /ping/0f1e')
})

test('a problem that clears by itself is not a failure', async () => {
  const unreachable = aProblem({ code: 'service-unreachable', endsBy: 'time' })
  world.status = aStatus({ problems: [{ problem: unreachable, count: 0, examples: [] }] })
  await world.pass(sender, 10)
  expect(sentPings()).toEqual(['POST /ping/0f1e/log', 'GET /ping/0f1e'])
})

test('a failed ping is retried with backoff before the next interval, and shown in the window', async () => {
  world.arrives = false
  await world.pass(sender, 60)
  const retries = world.sent.length - 1
  expect(retries).toBeGreaterThan(3)
  expect(retries).toBeLessThan(10)
  expect(world.board.heartbeat).toMatchObject({ lastOkAtMs: null, failure: { sentence: expect.any(String) } })
  world.arrives = true
  await world.pass(sender, 60)
  expect(world.board.heartbeat.failure).toBeNull()
})

test('reports the shutdown only if it reported the start', async () => {
  await sender.close()
  expect(world.sent).toEqual([])
  await world.pass(sender, 1)
  await sender.close()
  expect(sentPings()).toEqual(['POST /ping/0f1e/log', 'POST /ping/0f1e/log'])
  expect(world.sent[1]?.body?.text).toContain('Sluice was closed on capture-pc-07.')
  world.monitoringSettings = {}
  await world.pass(sender, 1)
  await sender.close()
  expect(world.sent).toHaveLength(2)
})

test.each([
  ['https://hc.example.com/ping/a/', 'https://hc.example.com/ping/a/fail'],
  ['https://hc.example.com/ping/a?rid=1', 'https://hc.example.com/ping/a/fail?rid=1'],
  ['https://hc.example.com', 'https://hc.example.com/fail'],
])('appends the kind of ping to the path of %s', (url, failing) => {
  expect(heartbeatMessage(url, 'fail', 'x').url).toBe(failing)
})
