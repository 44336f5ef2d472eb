import path from 'node:path'
import { expect, it } from 'vitest'
import type { Effect } from '../../support/second-service/fault-rules.ts'
import { peakRssBytes } from '../../support/second-service/second-service-station.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { MIB, type StatusReport } from '../../support/station.ts'

const maxMemoryBytes = 400 * MIB

/** The service's part plan and the file size, by file name. */
const plans: Readonly<Record<string, { readonly bytes: number; readonly effect: Effect }>> = {
  'one.bin': { bytes: 9 * MIB, effect: { kind: 'edit', upload: { part_size: 1 } } },
  'zero.bin': { bytes: 9 * MIB, effect: { kind: 'edit', upload: { part_size: 0 } } },
  'negative.bin': { bytes: 9 * MIB, effect: { kind: 'edit', upload: { part_size: -5 } } },
  'vast.bin': { bytes: 9 * MIB, effect: { kind: 'edit', upload: { part_size: 1e15 } } },
  'too-many.bin': {
    bytes: 46 * MIB,
    effect: { kind: 'edit', upload: { part_size: 4096 }, listParts: 11_776 },
  },
  'million.bin': { bytes: 9 * MIB, effect: { kind: 'edit', listParts: 1_000_000 } },
}

const withoutProblem = ({ recordings }: StatusReport): string[] =>
  Object.keys(plans).filter(
    (name) =>
      !recordings.some((recording) => path.basename(recording.path) === name && recording.problem !== null),
  )

it('an impossible part plan is a problem of its recording only, and takes little memory', () =>
  withStation(async (station) => {
    await station.service.setFaults(
      ...Object.entries(plans).map(([filename, { effect }]) => ({
        on: 'control' as const,
        filename,
        effect,
      })),
    )
    for (const [name, { bytes }] of Object.entries(plans)) station.record(name, bytes)
    const agent = station.run()
    await station.waitFor(
      (status) => withoutProblem(status).length === 0,
      (status) =>
        `no problem is shown for ${withoutProblem(status)}, with ${Math.round(peakRssBytes(agent) / MIB)} MiB of memory`,
    )
    station.record('good.bin')
    await station.waitUntilProcessed(['good.bin'])
    const { recordings, station: stationReport } = await station.status()
    const names = recordings
      .filter(({ state }) => state === 'processed')
      .map((recording) => path.basename(recording.path))
    expect(names).toEqual(['good.bin'])
    expect(stationReport.problem).toBeNull()
    expect(peakRssBytes(agent)).toBeLessThan(maxMemoryBytes)
  }))
