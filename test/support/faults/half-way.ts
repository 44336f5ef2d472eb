import { PART } from '../station.ts'
import type { FaultStation } from './fault-station.ts'

/** Writes recordings of three parts. The first part is stored at once; the others are slow until the rule changes. */
export const recordHalfWay = async (
  faultStation: FaultStation,
  names: readonly string[] = ['a.bin', 'b.bin'],
): Promise<void> => {
  for (const name of names) await faultStation.record(name, 3 * PART)
  faultStation.proxy.rule = ({ part }) => ((part ?? 0) > 1 ? { kind: 'delay', ms: 1_500 } : null)
}

export const waitForHalfWay = (faultStation: FaultStation): Promise<unknown> =>
  faultStation.waitForJournaledParts(2)
