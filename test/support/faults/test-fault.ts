import { onTestFinished, test } from 'vitest'
import { type FaultName, faults } from '../../soak/faults/table.mjs'
import { type Need, needs } from '../needs.ts'
import { chooseSeed, seeded } from '../seeded.ts'
import type { ProxyAddress } from './fault-proxy.ts'
import { FaultStation } from './fault-station.ts'
import { findBrokenPromises } from './promises.ts'

/** Figures of a run by name, such as `{ parts: 12 }`. */
export type Figures = Readonly<Record<string, string | number>>

declare module 'vitest' {
  interface TaskMeta {
    /** The result of a fault, for the table at the end of the run. */
    fault?: { readonly name: FaultName; readonly seed: number; readonly figures: Figures }
  }
}

export type FaultContext = {
  readonly random: () => number
  readonly seed: number
  /** Opens a station. After `run`, the test checks every promise of `promises.ts` on it, then closes it. */
  readonly station: (sandboxFlags?: readonly string[], proxyAddress?: ProxyAddress) => Promise<FaultStation>
}

/** Defines the test of one fault. `run` causes the fault, then the test checks the promises. */
export const testFault = (
  name: FaultName,
  requirements: readonly Need[],
  run: (context: FaultContext) => Promise<Figures>,
): void =>
  test(name, needs(...requirements), async ({ task, expect }) => {
    const row = faults.find((fault) => fault.name === name)
    expect(row, 'the fault in test/soak/faults/table.mjs').toBeDefined()
    const seed = chooseSeed(name)
    const random = seeded(seed)
    const stations: FaultStation[] = []
    const station: FaultContext['station'] = async (flags, proxyAddress) => {
      const faultStation = await FaultStation.open(random, flags, proxyAddress)
      onTestFinished(() => faultStation.close())
      stations.push(faultStation)
      return faultStation
    }
    task.meta.fault = { name, seed, figures: {} }
    const ownFigures = await run({ random, seed, station })
    const violations: string[] = []
    for (const faultStation of stations) violations.push(...(await findBrokenPromises(faultStation)))
    const requests = stations.reduce((sum, { proxy }) => sum + proxy.count(), 0)
    const recordings = stations.reduce((sum, faultStation) => sum + faultStation.files().length, 0)
    const commonFigures = stations.length === 0 ? {} : { recordings, requests }
    task.meta.fault = { name, seed, figures: { ...commonFigures, ...ownFigures } }
    // Print the last output of the agents, because it usually shows the cause.
    if (violations.length > 0)
      for (const faultStation of stations) console.log(faultStation.allOutput().slice(-4_000))
    expect(violations.join('; ')).toBe('')
  })
