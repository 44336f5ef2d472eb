import { expect } from 'vitest'
import {
  countHits,
  describeHits,
  keepBusy,
  slowSteps,
  statesNotHit,
  waitForMomentToKill,
} from '../../support/faults/killing.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { until } from '../../support/station.ts'

const kills = Number(process.env.SLUICE_KILLS ?? 800)

testFault('kill-agent', [], async ({ station, random }) => {
  const faultStation = await station(['--processing-delay', '400'])
  faultStation.allowed.resends = 'unjournaled'
  faultStation.proxy.rule = slowSteps(random)
  const hits = new Map<string, number>()
  for (let kill = 0; kill < kills; kill += 1) {
    await keepBusy(faultStation, kill, random)
    const agent = faultStation.run()
    // Wait until the agent works, because an earlier kill would prove nothing.
    const start = faultStation.proxy.count()
    await until(
      'the agent works',
      () => agent.lines.length > 0 || faultStation.proxy.count() > start || agent.child.exitCode !== null,
    )
    await waitForMomentToKill(faultStation, hits, random)
    expect(agent.child.exitCode, agent.stderr).toBeNull()
    await agent.kill('SIGKILL')
    countHits(faultStation, hits)
  }
  faultStation.proxy.rule = () => null
  faultStation.run()
  expect(statesNotHit(hits), 'states without a kill').toEqual([])
  return { kills, 'kills with a recording in': describeHits(hits) }
})
