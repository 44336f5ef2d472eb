import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { IDLE_MS } from '../../main/memory/collect-when-idle.ts'
import { Station, until } from '../support/station.ts'
import type { Bench } from './figure.ts'

/**
 * Measures the memory of an idle agent without a window. The reference is an empty program. The same Electron runs both
 * programs as Node. The resident size includes Electron's files, which all its programs share. Anonymous memory is not
 * shared.
 */
const MAX_MB = 90
const EMPTY_PROGRAM = 'setInterval(() => {}, 1_000)'
/** After this time, an idle agent has collected its garbage. */
const SETTLED_AFTER_MS = IDLE_MS + 5_000

const megabytesOf = (pid: number) => {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const field = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024) / 1e6
  return { resident: field('Rss'), own: field('Anonymous') }
}

const endProcess = async (child: ChildProcess) => {
  const exited = once(child, 'exit')
  child.kill()
  await exited
}

export const benchIdleMemory: Bench = async () => {
  const what = 'memory of an agent without a window, idle'
  if (process.platform !== 'linux') return [{ what, missing: 'Linux' }]
  const station = await Station.open()
  const empty = spawn(process.execPath, ['-e', EMPTY_PROGRAM], { stdio: 'ignore' })
  try {
    const agent = station.agent()
    await until('the agent listens', () => existsSync(path.join(station.data, 'agent.sock')))
    await sleep(SETTLED_AFTER_MS)
    const [ours, reference] = [agent.child.pid, empty.pid].map((pid) => megabytesOf(pid ?? 0))
    if (ours === undefined || reference === undefined) throw new Error('a process has ended')
    const name = 'an empty program'
    return [
      {
        what: `${what}: resident`,
        unit: 'MB',
        ours: [ours.resident],
        reference: { name, values: [reference.resident] },
        goal: { kind: 'own', atMost: MAX_MB },
      },
      {
        what: `${what}: anonymous memory, without the files of Electron`,
        unit: 'MB',
        ours: [ours.own],
        reference: { name, values: [reference.own] },
        goal: { kind: 'none' },
      },
    ]
  } finally {
    await endProcess(empty)
    await station.close()
  }
}
