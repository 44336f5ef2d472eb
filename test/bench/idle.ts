import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station, until } from '../support/station.ts'
import type { Bench } from './figure.ts'
import { processorSecondsOf } from './processor-time.ts'

/** What the agent costs while nothing happens: a folder of old files is watched, which were there before it. */
const FILES = 50_000
const FILES_IN_A_FOLDER = 500
const WINDOWS = 4
const WINDOW_MS = 15_000
/** The first looks after a start are over. */
const CALM_MS = 20_000

export const benchIdle: Bench = async () => {
  const what = `processor while idle, ${FILES.toLocaleString('en')} files watched`
  if (process.platform !== 'linux') return [{ what, missing: 'Linux' }]
  const station = await Station.open()
  try {
    for (let file = 0; file < FILES; file += 1) {
      const folder = path.join(station.recordings, `night-${Math.floor(file / FILES_IN_A_FOLDER)}`)
      if (file % FILES_IN_A_FOLDER === 0) mkdirSync(folder)
      writeFileSync(path.join(folder, `take-${file}.bin`), 'old')
    }
    station.configure({ folder: { ignore_existing: true }, rest: { follow: {} } })
    const agent = await HostedAgent.start(station)
    await until('the folder is watched', () => agent.status?.folders[0]?.state === 'watching')
    await sleep(CALM_MS)
    const pid = agent.child.pid ?? 0
    const ours: number[] = []
    for (let window = 0; window < WINDOWS; window += 1) {
      const before = processorSecondsOf(pid)
      await sleep(WINDOW_MS)
      ours.push(((processorSecondsOf(pid) - before) / (WINDOW_MS / 1000)) * 100)
    }
    await agent.stop()
    return [{ what, unit: '% of a core', ours, reference: null, goal: { kind: 'own', atMost: 0.5 } }]
  } finally {
    await station.close()
  }
}
