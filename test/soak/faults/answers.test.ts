import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Effect } from '../../support/faults/fault-proxy.ts'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { play } from '../../support/faults/play.ts'
import type { Route } from '../../support/faults/recorded-request.ts'
import { refusal } from '../../support/faults/refusal.ts'
import { PART, until } from '../../support/station.ts'

const retryAfterS = 120
/** Requests in flight when the answer was sent. */
const underWayMs = 500

play('rate-limited', [], async ({ station }) => {
  const one = await station()
  one.configure({ rest: { transfer: { parallel_parts: 1 }, follow: { poll_seconds: 1 } } })
  await one.record('large.bin', 12 * PART)
  const slow: Effect = { kind: 'delay', ms: 1_500 }
  one.proxy.rule = ({ route }) => (route === 'part' ? slow : null)
  one.run()
  await one.waitForJournaledParts(1)
  let limitedAtMs = 0
  one.proxy.rule = ({ route, atMs }) => {
    if (route === 'part') return slow
    if (route !== 'create' || limitedAtMs > 0) return null
    limitedAtMs = atMs
    return refusal(429, 'rate_limited', { headers: { 'retry-after': String(retryAfterS) } })
  }
  for (const name of ['b.bin', 'c.bin']) await one.record(name)
  await one.waitForState('processed', 3)
  const from = limitedAtMs + underWayMs
  const to = limitedAtMs + retryAfterS * 1_000 - underWayMs
  const within = one.proxy.requests.filter(({ atMs }) => atMs > from && atMs < to)
  expect(within.filter(({ listener }) => listener === 'control')).toEqual([])
  const parts = within.filter(({ route, status }) => route === 'part' && status === 200).length
  expect(parts, 'parts in flight continue').toBeGreaterThan(0)
  return { 'calls in 120 s': 0, 'parts meanwhile': parts }
})

const statuses = [500, 502, 503] as const
const most = 1.6
const recordings = 300
/** Exactly three of ten, at random, so that bad luck cannot fail the test. */
const failedOfTen = 3

const byChance = (random: () => number): (() => boolean) => {
  let ten: boolean[] = []
  return () => {
    if (ten.length === 0) ten = Array.from({ length: 10 }, (_, at) => at < failedOfTen)
    const [next = false] = ten.splice(Math.floor(random() * ten.length), 1)
    return next
  }
}

const byRoute = (one: FaultStation): string =>
  (['create', 'part', 'complete', 'retrieve', 'list'] as const)
    .map((route) => `${route} ${one.proxy.count((request) => request.route === route)}`)
    .join(', ')

const recordMany = async (one: FaultStation) => {
  one.configure({ rest: { follow: { poll_seconds: 2 }, transfer: { parallel_recordings: 4 } } })
  for (let n = 0; n < recordings; n += 1)
    await one.record(`take-${n}.bin`, n % 20 === 0 ? PART + n + 1 : 1_000 + n)
}

play('server-errors', [], async ({ station, random }) => {
  const calm = await station()
  await recordMany(calm)
  calm.run()
  await calm.waitForState('processed', recordings)
  const needed = calm.proxy.count()
  const faulty = await station()
  await recordMany(faulty)
  let hit = 0
  const fails = byChance(random)
  faulty.proxy.rule = () => {
    if (!fails()) return null
    hit += 1
    return refusal(statuses[Math.floor(random() * statuses.length)] ?? 500, 'api_error')
  }
  faulty.run()
  await until(
    'all are processed',
    () => faulty.rows("SELECT 1 FROM recordings WHERE state = 'processed'").length === recordings,
    1_200_000,
  )
  const used = faulty.proxy.count()
  faulty.proxy.rule = () => null
  expect(used / needed, `${byRoute(calm)} became ${byRoute(faulty)}`).toBeLessThanOrEqual(most)
  return {
    needed: `${needed} (${byRoute(calm)})`,
    used: `${used} (${byRoute(faulty)})`,
    'times the needed': (used / needed).toFixed(2),
    'answered 5xx': hit,
  }
})

const lose = async (one: FaultStation, route: Route, times: number) => {
  let left = times
  one.proxy.rule = (request) => (request.route === route && left-- > 0 ? { kind: 'lose' } : null)
  for (let n = 0; n < 4; n += 1) await one.record(`take-${n}.bin`, PART + 1 + n)
  one.run()
  await one.waitForState('processed', 4)
}

for (const [name, route] of [
  ['lost-create', 'create'],
  ['lost-part', 'part'],
  ['lost-complete', 'complete'],
] as const)
  play(name, [], async ({ station }) => {
    const one = await station()
    await lose(one, route, 4)
    const { routes, parts } = await one.station.stats()
    const bodies = Object.values(parts).flatMap((counts) => Object.values(counts))
    // The agent repeats only requests with a lost answer.
    expect(await one.station.sessions()).toHaveLength(4)
    expect(bodies.reduce((sum, count) => sum + count, 0)).toBe(route === 'part' ? 12 : 8)
    if (route === 'complete') expect(routes.complete).toBe(4)
    return { creations: routes.create ?? 0, PUTs: routes.put_part ?? 0, completions: routes.complete ?? 0 }
  })

const pages: readonly Effect[] = [
  { kind: 'answer', status: 200, body: '<html><body><form>Sign in to the network</form></body></html>' },
  { kind: 'answer', status: 302, headers: { location: 'http://127.0.0.1:9/portal' }, body: '<html></html>' },
]

play('captive-portal', [], async ({ station }) => {
  const one = await station()
  for (const name of ['a.bin', 'b.bin']) await one.record(name, 2 * PART)
  one.proxy.rule = ({ part }) => ((part ?? 0) > 1 ? { kind: 'delay', ms: 2_000 } : null)
  one.run()
  await one.waitForJournaledParts(1)
  let met = 0
  for (const page of pages) {
    one.proxy.rule = () => {
      met += 1
      return page
    }
    await one.record(`new-${met}.bin`)
    await one.waitForCondition('service-answer-unreadable')
    await sleep(5_000)
  }
  expect((await one.station.status()).recordings.filter(({ problem }) => problem !== null)).toEqual([])
  one.proxy.rule = () => null
  return { 'pages met': met }
})
