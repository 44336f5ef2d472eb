import { setTimeout as sleep } from 'node:timers/promises'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station, until } from '../support/station.ts'
import type { Bench } from './figure.ts'
import { writeKnownFiles } from './known-files.ts'
import { processorSecondsOf } from './processor-time.ts'

const MEASUREMENTS = 4

/**
 * Measures the processor time of an idle agent. The watched folder has many files, which the agent ignores because they
 * are older than its first scan.
 */
export const benchIdle: Bench = async ({ idleFiles, idleWindowMs, idleCalmMs }) => {
  const what = `processor time of an idle agent that watches ${idleFiles.toLocaleString('en')} files`
  if (process.platform !== 'linux') return [{ what, missing: 'Linux' }]
  const station = await Station.open()
  try {
    writeKnownFiles(station.recordings, idleFiles)
    station.configure({ folder: { ignore_existing: true }, rest: { follow: {} } })
    const agent = await HostedAgent.start(station)
    await until('the folder is watched', () => agent.status?.folders[0]?.state === 'watching')
    await sleep(idleCalmMs)
    const pid = agent.child.pid ?? 0
    const ours: number[] = []
    for (let measurement = 0; measurement < MEASUREMENTS; measurement += 1) {
      const before = processorSecondsOf(pid)
      await sleep(idleWindowMs)
      ours.push(((processorSecondsOf(pid) - before) / (idleWindowMs / 1000)) * 100)
    }
    await agent.stop()
    return [{ what, unit: '% of a core', ours, reference: null, goal: { kind: 'own', atMost: 0.5 } }]
  } finally {
    await station.close()
  }
}
