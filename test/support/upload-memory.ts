import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Station } from './station.ts'

/** The peak of the process's resident memory, as the kernel reports it. */
const peakRssBytesOf = (pid: number): number => {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) * 1024
}

/** Lets the agent hash and upload one sparse file of this size. Returns the agent's peak memory. Linux only. */
export const uploadSparseFile = async (station: Station, bytes: number): Promise<number> => {
  const file = path.join(station.recordings, 'long.bin')
  writeFileSync(file, 'a recording')
  truncateSync(file, bytes)
  const agent = station.agent('--until-idle')
  let peakRssBytes = 0
  const timer = setInterval(() => {
    try {
      peakRssBytes = Math.max(peakRssBytes, peakRssBytesOf(agent.child.pid ?? 0))
    } catch {
      // The process has just ended.
    }
  }, 100)
  const code = await agent.ended
  clearInterval(timer)
  if (code !== 0) throw new Error(`the agent ended with ${code}: ${agent.stderr}`)
  return peakRssBytes
}
