import { onTestFinished, test } from 'vitest'
import { type FaultName, faults } from '../../soak/faults/table.mjs'
import { type Need, needs } from '../needs.ts'
import { chooseSeed, seeded } from '../seeded.ts'
import type { ProxyAddress } from './fault-proxy.ts'
import { FaultStation } from './fault-station.ts'
import { brokenPromises } from './promises.ts'

/** Figures of a run by name: "parts" 12, "kills by state" … */
export type Figures = Readonly<Record<string, string | number>>

declare module 'vitest' {
  interface TaskMeta {
    /** The result of a fault, for the table at the end of the run. */
    fault?: { readonly name: FaultName; readonly seed: number; readonly figures: Figures }
  }
}

export type Scene = {
  readonly random: () => number
  readonly seed: number
  /** Opens a station. It closes at the end of the test, after every promise is checked. */
  readonly station: (sandboxFlags?: readonly string[], where?: ProxyAddress) => Promise<FaultStation>
}

/** One row of the table as a test: plays the fault, then checks everything that must always hold. */
export const play = (
  name: FaultName,
  requirements: readonly Need[],
  act: (scene: Scene) => Promise<Figures>,
): void =>
  test(name, needs(...requirements), async ({ task, expect }) => {
    const row = faults.find((fault) => fault.name === name)
    expect(row, 'its row in the table').toBeDefined()
    const seed = chooseSeed(name)
    const random = seeded(seed)
    const stations: FaultStation[] = []
    const station: Scene['station'] = async (flags, where) => {
      const faultStation = await FaultStation.open(random, flags, where)
      onTestFinished(() => faultStation.close())
      stations.push(faultStation)
      return faultStation
    }
    task.meta.fault = { name, seed, figures: {} }
    const ownFigures = await act({ random, seed, station })
    const violations: string[] = []
    for (const faultStation of stations) violations.push(...(await brokenPromises(faultStation)))
    const requests = stations.reduce((sum, { proxy }) => sum + proxy.count(), 0)
    const recordings = stations.reduce((sum, faultStation) => sum + faultStation.files().length, 0)
    const commonFigures = stations.length === 0 ? {} : { recordings, requests }
    task.meta.fault = { name, seed, figures: { ...commonFigures, ...ownFigures } }
    // The last output of the agents shows the cause.
    if (violations.length > 0)
      for (const faultStation of stations) console.log(faultStation.allOutput().slice(-4_000))
    expect(violations.join('; ')).toBe('')
  })
