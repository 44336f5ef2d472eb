import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { play } from '../../support/faults/play.ts'
import { posix } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

/** The agent drops a silent connection after 60 s. */
const stoppedMs = 70_000

play('stopped-process', [posix], async ({ station }) => {
  // The ETags of this sandbox are MD5s, so the agent can compute one that it never read.
  const one = await station(['--url-lifetime', '20', '--client-timeout', '2', '--md5-etags'])
  // An answer that arrived while the process was stopped may never have been read.
  one.allowed.resends = 'unjournaled'
  await recordHalfWay(one)
  const agent = one.run()
  await waitForHalfWay(one)
  agent.child.kill('SIGSTOP')
  await sleep(stoppedMs)
  one.proxy.rule = () => null
  agent.child.kill('SIGCONT')
  await one.waitForState('processed', 2)
  expect(one.proxy.count(({ route }) => route === 'create')).toBe(2)
  return { 'stopped for s': stoppedMs / 1_000, PUTs: one.proxy.count(({ route }) => route === 'part') }
})

const DAY_S = 86_400
const preload = path.resolve(import.meta.dirname, '../../support/faults/shift-clock.mjs')

for (const [name, shiftS] of [
  ['clock-ahead', DAY_S],
  ['clock-behind', -DAY_S],
] as const)
  play(name, [], async ({ station }) => {
    const one = await station()
    const clock = path.join(one.station.root, 'clock')
    const set = (seconds: number) => writeFileSync(clock, String(seconds))
    set(0)
    await recordHalfWay(one)
    one.run({ env: { NODE_OPTIONS: `--import=${preload}`, SHIFT_CLOCK_FILE: clock } })
    await waitForHalfWay(one)
    set(shiftS)
    await one.record('new.bin')
    await one.waitForState('processed', 3)
    const moment = () => one.rows<{ at: number }>('SELECT MAX(changed_at) AS at FROM recordings')[0]?.at ?? 0
    expect(Math.abs(moment() - Date.now() - shiftS * 1_000), 'its clock was off').toBeLessThan(3_600_000)
    set(0)
    await one.record('after.bin')
    await one.waitForState('processed', 4)
    expect(one.proxy.count(({ route, status }) => route === 'part' && status === 403)).toBe(0)
    // A clock that jumps ahead looks like sleep, so the agent drops every connection once.
    const cut = one.proxy.count(({ route, status }) => route === 'part' && status === null)
    return { 'PUTs refused': 0, 'PUTs cut off': cut }
  })

play('two-agents', [], async ({ station }) => {
  const one = await station()
  await recordHalfWay(one)
  const first = one.run()
  await waitForHalfWay(one)
  for (let n = 0; n < 10; n += 1) {
    const second = one.run()
    expect(await second.ended).toBe(1)
    expect(second.stderr).toContain(`Another Sluice agent already uses the data folder ${one.data}`)
  }
  one.proxy.rule = () => null
  await until('the first agent still works', () => first.child.exitCode === null)
  return { refused: 10 }
})
