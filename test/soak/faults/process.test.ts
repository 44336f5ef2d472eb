import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { posix } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

/** Longer than 60 s, after which the agent drops a silent connection. */
const STOPPED_MS = 70_000

testFault('stopped-process', [posix], async ({ station }) => {
  // The ETags of this sandbox are MD5s, so the agent can compute an ETag that it never read.
  const faultStation = await station(['--url-lifetime', '20', '--client-timeout', '2', '--md5-etags'])
  // The agent may miss the answer to a part while it is stopped, and may then send that part again.
  faultStation.allowed.resends = 'unjournaled'
  await recordHalfWay(faultStation)
  const agent = faultStation.run()
  await waitForHalfWay(faultStation)
  agent.child.kill('SIGSTOP')
  await sleep(STOPPED_MS)
  faultStation.proxy.rule = () => null
  agent.child.kill('SIGCONT')
  await faultStation.waitForState('processed', 2)
  expect(faultStation.proxy.count(({ route }) => route === 'create')).toBe(2)
  return {
    'seconds stopped': STOPPED_MS / 1_000,
    PUTs: faultStation.proxy.count(({ route }) => route === 'part'),
  }
})

const DAY_S = 86_400
const preload = path.resolve(import.meta.dirname, '../../support/faults/shift-clock.mjs')

for (const [name, shiftS] of [
  ['clock-ahead', DAY_S],
  ['clock-behind', -DAY_S],
] as const)
  testFault(name, [], async ({ station }) => {
    const faultStation = await station()
    const clock = path.join(faultStation.station.root, 'clock')
    const shiftClock = (seconds: number) => writeFileSync(clock, String(seconds))
    shiftClock(0)
    await recordHalfWay(faultStation)
    faultStation.run({ env: { NODE_OPTIONS: `--import=${preload}`, SHIFT_CLOCK_FILE: clock } })
    await waitForHalfWay(faultStation)
    shiftClock(shiftS)
    await faultStation.record('new.bin')
    await faultStation.waitForState('processed', 3)
    const lastChangeMs = () =>
      faultStation.rows<{ at: number }>('SELECT MAX(changed_at) AS at FROM recordings')[0]?.at ?? 0
    const errorMs = Math.abs(lastChangeMs() - Date.now() - shiftS * 1_000)
    expect(errorMs, 'the agent used the shifted clock').toBeLessThan(3_600_000)
    shiftClock(0)
    await faultStation.record('after.bin')
    await faultStation.waitForState('processed', 4)
    expect(faultStation.proxy.count(({ route, status }) => route === 'part' && status === 403)).toBe(0)
    // A clock that jumps ahead looks like sleep to the agent, so it drops every connection once.
    const cut = faultStation.proxy.count(({ route, status }) => route === 'part' && status === null)
    return { 'PUTs refused': 0, 'PUTs cut off': cut }
  })

testFault('two-agents', [], async ({ station }) => {
  const faultStation = await station()
  await recordHalfWay(faultStation)
  const first = faultStation.run()
  await waitForHalfWay(faultStation)
  for (let n = 0; n < 10; n += 1) {
    const second = faultStation.run()
    expect(await second.ended).toBe(1)
    expect(second.stderr).toContain(`Another Sluice agent already uses the data folder ${faultStation.data}`)
  }
  faultStation.proxy.rule = () => null
  await until('the first agent still works', () => first.child.exitCode === null)
  return { refused: 10 }
})
