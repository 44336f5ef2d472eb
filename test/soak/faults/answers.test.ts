import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Effect } from '../../support/faults/fault-proxy.ts'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import type { Route } from '../../support/faults/recorded-request.ts'
import { refusal } from '../../support/faults/refusal.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { PART, until } from '../../support/station.ts'

const retryAfterS = 120
/** Requests that were in flight when the proxy sent the 429 may arrive within this time. */
const IN_FLIGHT_MS = 500

testFault('rate-limited', [], async ({ station }) => {
  const faultStation = await station()
  faultStation.configure({ rest: { transfer: { parallel_parts: 1 }, follow: { poll_seconds: 1 } } })
  await faultStation.record('large.bin', 12 * PART)
  const delay: Effect = { kind: 'delay', ms: 1_500 }
  faultStation.proxy.rule = ({ route }) => (route === 'part' ? delay : null)
  faultStation.run()
  await faultStation.waitForJournaledParts(1)
  let limitedAtMs = 0
  faultStation.proxy.rule = ({ route, atMs }) => {
    if (route === 'part') return delay
    if (route !== 'create' || limitedAtMs > 0) return null
    limitedAtMs = atMs
    return refusal(429, 'rate_limited', { headers: { 'retry-after': String(retryAfterS) } })
  }
  for (const name of ['b.bin', 'c.bin']) await faultStation.record(name)
  await faultStation.waitForState('processed', 3)
  const fromMs = limitedAtMs + IN_FLIGHT_MS
  const toMs = limitedAtMs + retryAfterS * 1_000 - IN_FLIGHT_MS
  const requests = faultStation.proxy.requests.filter(({ atMs }) => atMs > fromMs && atMs < toMs)
  expect(requests.filter(({ listener }) => listener === 'control')).toEqual([])
  const parts = requests.filter(({ route, status }) => route === 'part' && status === 200).length
  expect(parts, 'parts in flight continue').toBeGreaterThan(0)
  return { 'calls in 120 s': 0, 'parts meanwhile': parts }
})

const statuses = [500, 502, 503] as const
const MAX_REQUEST_RATIO = 1.6
const recordings = 300
/** Exactly three of each ten requests fail, chosen at random, so that bad luck cannot fail the test. */
const failedOfTen = 3

const createRandomFailures = (random: () => number): (() => boolean) => {
  let decisions: boolean[] = []
  return () => {
    if (decisions.length === 0) decisions = Array.from({ length: 10 }, (_, index) => index < failedOfTen)
    const [next = false] = decisions.splice(Math.floor(random() * decisions.length), 1)
    return next
  }
}

const describeRoutes = (faultStation: FaultStation): string =>
  (['create', 'part', 'complete', 'retrieve', 'list'] as const)
    .map((route) => `${route} ${faultStation.proxy.count((request) => request.route === route)}`)
    .join(', ')

const recordMany = async (faultStation: FaultStation) => {
  faultStation.configure({ rest: { follow: { poll_seconds: 2 }, transfer: { parallel_recordings: 4 } } })
  for (let n = 0; n < recordings; n += 1)
    await faultStation.record(`take-${n}.bin`, n % 20 === 0 ? PART + n + 1 : 1_000 + n)
}

testFault('server-errors', [], async ({ station, random }) => {
  const calm = await station()
  await recordMany(calm)
  calm.run()
  await calm.waitForState('processed', recordings)
  const neededRequests = calm.proxy.count()
  const faulty = await station()
  await recordMany(faulty)
  let failedRequests = 0
  const shouldFail = createRandomFailures(random)
  faulty.proxy.rule = () => {
    if (!shouldFail()) return null
    failedRequests += 1
    return refusal(statuses[Math.floor(random() * statuses.length)] ?? 500, 'api_error')
  }
  faulty.run()
  await until(
    'all are processed',
    () => faulty.rows("SELECT 1 FROM recordings WHERE state = 'processed'").length === recordings,
    1_200_000,
  )
  const usedRequests = faulty.proxy.count()
  faulty.proxy.rule = () => null
  const ratio = usedRequests / neededRequests
  expect(ratio, `${describeRoutes(calm)} became ${describeRoutes(faulty)}`).toBeLessThanOrEqual(
    MAX_REQUEST_RATIO,
  )
  return {
    'requests without faults': `${neededRequests} (${describeRoutes(calm)})`,
    'with faults': `${usedRequests} (${describeRoutes(faulty)})`,
    ratio: ratio.toFixed(2),
    'answered 5xx': failedRequests,
  }
})

const loseAnswers = async (faultStation: FaultStation, route: Route, times: number) => {
  let remaining = times
  faultStation.proxy.rule = (request) =>
    request.route === route && remaining-- > 0 ? { kind: 'lose' } : null
  for (let n = 0; n < 4; n += 1) await faultStation.record(`take-${n}.bin`, PART + 1 + n)
  faultStation.run()
  await faultStation.waitForState('processed', 4)
}

for (const [name, route] of [
  ['lost-create', 'create'],
  ['lost-part', 'part'],
  ['lost-complete', 'complete'],
] as const)
  testFault(name, [], async ({ station }) => {
    const faultStation = await station()
    await loseAnswers(faultStation, route, 4)
    const { routes, parts } = await faultStation.station.stats()
    const bodies = Object.values(parts).flatMap((counts) => Object.values(counts))
    // Only parts whose answers were lost are sent again.
    expect(await faultStation.station.sessions()).toHaveLength(4)
    expect(bodies.reduce((sum, count) => sum + count, 0)).toBe(route === 'part' ? 12 : 8)
    if (route === 'complete') expect(routes.complete).toBe(4)
    return { creations: routes.create ?? 0, PUTs: routes.put_part ?? 0, completions: routes.complete ?? 0 }
  })

const pages: readonly Effect[] = [
  { kind: 'answer', status: 200, body: '<html><body><form>Sign in to the network</form></body></html>' },
  { kind: 'answer', status: 302, headers: { location: 'http://127.0.0.1:9/portal' }, body: '<html></html>' },
]

testFault('captive-portal', [], async ({ station }) => {
  const faultStation = await station()
  for (const name of ['a.bin', 'b.bin']) await faultStation.record(name, 2 * PART)
  faultStation.proxy.rule = ({ part }) => ((part ?? 0) > 1 ? { kind: 'delay', ms: 2_000 } : null)
  faultStation.run()
  await faultStation.waitForJournaledParts(1)
  let pageAnswers = 0
  for (const page of pages) {
    faultStation.proxy.rule = () => {
      pageAnswers += 1
      return page
    }
    await faultStation.record(`new-${pageAnswers}.bin`)
    await faultStation.waitForCondition('service-answer-unreadable')
    await sleep(5_000)
  }
  expect((await faultStation.station.status()).recordings.filter(({ problem }) => problem !== null)).toEqual(
    [],
  )
  faultStation.proxy.rule = () => null
  return { 'answers with a page': pageAnswers }
})
