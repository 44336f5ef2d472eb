import { setTimeout as sleep } from 'node:timers/promises'
import { liveStates } from '../../../main/agent/domain/states.ts'
import { PART } from '../station.ts'
import type { Effect } from './fault-proxy.ts'
import type { FaultStation } from './fault-station.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** The states in which a kill could lose data. */
export const LIVE = liveStates

/** The longest wait for one of the rarest states. Then the test kills the agent in any state. */
const MAX_WAIT_MS = 4_000

/** Slows the steps down so that a kill can hit each of them. */
export const slowSteps =
  (random: () => number) =>
  ({ route, part }: RecordedRequest): Effect | null => {
    if (route === 'create' || route === 'complete') return { kind: 'delay', ms: 40 + random() * 200 }
    return part === 2 ? { kind: 'delay', ms: 300 } : null
  }

/** Adds five small recordings and one with two parts, unless four recordings are unfinished. */
export const keepBusy = async (
  faultStation: FaultStation,
  round: number,
  random: () => number,
): Promise<void> => {
  const liveCount = faultStation.rows(
    "SELECT 1 FROM recordings WHERE state NOT IN ('processed', 'gone')",
  ).length
  if (liveCount >= 4) return
  for (let n = 0; n < 5; n += 1)
    await faultStation.record(`take-${round}-${n}.bin`, 1 + Math.floor(random() * 60_000))
  await faultStation.record(`take-${round}-large.bin`, PART + 1 + Math.floor(random() * 1_000))
}

export const currentLiveStates = (faultStation: FaultStation): readonly string[] =>
  faultStation
    .rows<{ state: string }>('SELECT DISTINCT state FROM recordings')
    .map(({ state }) => state)
    .filter((state) => (LIVE as readonly string[]).includes(state))

/** Waits for a random moment or, every second time on average, for one of the states with the fewest kills. */
export const waitForMomentToKill = async (
  faultStation: FaultStation,
  hits: ReadonlyMap<string, number>,
  random: () => number,
): Promise<void> => {
  if (random() < 0.5) return void (await sleep(random() * 700))
  const fewestHits = Math.min(...LIVE.map((state) => hits.get(state) ?? 0))
  const rarestStates = LIVE.filter((state) => (hits.get(state) ?? 0) === fewestHits)
  const end = performance.now() + MAX_WAIT_MS
  while (performance.now() < end) {
    if (currentLiveStates(faultStation).some((state) => (rarestStates as readonly string[]).includes(state)))
      return
    await sleep(3)
  }
}

export const countHits = (faultStation: FaultStation, hits: Map<string, number>): void => {
  for (const state of currentLiveStates(faultStation)) hits.set(state, (hits.get(state) ?? 0) + 1)
}

export const describeHits = (hits: ReadonlyMap<string, number>): string =>
  LIVE.map((state) => `${state} ${hits.get(state) ?? 0}`).join(', ')

export const statesNotHit = (hits: ReadonlyMap<string, number>): readonly string[] =>
  LIVE.filter((state) => !hits.has(state))
