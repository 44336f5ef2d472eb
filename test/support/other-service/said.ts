import { setTimeout as sleep } from 'node:timers/promises'
import type { OtherStation } from './other-station.ts'

const lookEveryMs = 400

/** The station's messages in that time, once per change; null means that nothing is wrong. */
export const saidFor = async (station: OtherStation, durationMs: number): Promise<(string | null)[]> => {
  const said: (string | null)[] = []
  const end = performance.now() + durationMs
  while (performance.now() < end) {
    const { problem } = (await station.status()).station
    const now = problem === null ? null : `${problem.code}: ${problem.sentence}`
    if (said.length === 0 || said.at(-1) !== now) said.push(now)
    await sleep(lookEveryMs)
  }
  return said
}

/** Perhaps nothing at first, then one message that stays. */
export const isSteady = (said: readonly (string | null)[]): boolean => {
  const from = said[0] === null ? said.slice(1) : said
  return from.length === 1 && from[0] !== null
}
