import { afterAll, expect } from 'vitest'
import { prepareWindow } from '../../../scripts/window/open-app.mjs'
import { AppProcess } from '../../support/faults/app-process.ts'
import {
  countHits,
  describeHits,
  keepBusy,
  slowSteps,
  waitForMomentToKill,
} from '../../support/faults/killing.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { linux, type Need } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

const kills = Number(process.env.SLUICE_KILLS ?? 100)

const window = await prepareWindow()
const electron: Need = () => (window === null ? 'an Electron for this computer' : null)
afterAll(() => window?.close())

for (const [name, target] of [
  ['kill-main', 'main'],
  ['kill-both', 'both'],
] as const)
  testFault(name, [linux, electron], async ({ station, random }) => {
    if (window === null) throw new Error('there is no Electron')
    const faultStation = await station(['--processing-delay', '400'])
    faultStation.allowed.resends = 'unjournaled'
    faultStation.proxy.rule = slowSteps(random)
    const hits = new Map<string, number>()
    for (let kill = 0; kill < kills; kill += 1) {
      await keepBusy(faultStation, kill, random)
      const app = AppProcess.start(faultStation, window)
      const before = faultStation.proxy.count()
      await until('the agent of the app works', () => {
        if (app.child.exitCode !== null) throw new Error(`the app ended: ${app.output}`)
        return app.agentPid() !== null && faultStation.proxy.count() > before
      })
      await waitForMomentToKill(faultStation, hits, random)
      await app.kill(target)
      countHits(faultStation, hits)
    }
    faultStation.proxy.rule = () => null
    const last = AppProcess.start(faultStation, window)
    try {
      await until(
        'all are processed',
        () => faultStation.rows("SELECT 1 FROM recordings WHERE state <> 'processed'").length === 0,
      )
      expect(last.child.exitCode).toBeNull()
    } finally {
      await last.kill('main')
    }
    return { kills, 'kills with a recording in': describeHits(hits) }
  })
