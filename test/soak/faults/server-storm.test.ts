import { expect } from 'vitest'
import { postgresql } from '../../support/back-ends/postgres.ts'
import { runServerStorm } from '../../support/back-ends/server-storm.ts'
import { swift } from '../../support/back-ends/swift.ts'
import { testFault } from '../../support/faults/test-fault.ts'

/** The variables can make the storm smaller. */
const stations = Number(process.env.SLUICE_STORM_STATIONS ?? 50)
const recordings = Number(process.env.SLUICE_STORM_RECORDINGS ?? 2_000)

testFault('server-storm', [postgresql, swift], async ({ random }) => {
  const storm = await runServerStorm({ stations, recordings, storageDownMs: 30_000, random })
  expect(storm.violations).toEqual([])
  return storm.figures
})
