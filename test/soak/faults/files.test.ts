import { truncateSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { append, editKeepingTimes, replace, truncate } from '../../support/faults/file-changes.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { PART } from '../../support/station.ts'

/** Large enough that the hashing lasts until the fault comes. */
const LARGE_BYTES = 300_000_000

const stateOf = (faultStation: FaultStation, file: string) =>
  faultStation.rows<{ state: string }>('SELECT state FROM recordings WHERE path = ? AND current = 1', file)[0]
    ?.state

/**
 * Changes one file while Sluice hashes it, and a second file while Sluice sends its first part. Returns the states of
 * the two recordings before the change.
 */
const changeFiles = async (
  faultStation: FaultStation,
  change: (file: string) => void,
): Promise<readonly (string | undefined)[]> => {
  faultStation.configure({ folder: { part_size_bytes: 8 * PART } })
  faultStation.proxy.rule = ({ route }) => (route === 'part' ? { kind: 'hang' } : null)
  const uploadedFile = await faultStation.record('uploaded.bin', PART + 1)
  faultStation.run()
  await faultStation.waitForState('uploading')
  const hashedFile = faultStation.file('hashed.bin')
  writeFileSync(hashedFile, 'a recording')
  truncateSync(hashedFile, LARGE_BYTES)
  await faultStation.waitForJournal(
    'the file is being hashed',
    "SELECT 1 FROM recordings WHERE path = ? AND state = 'hashing'",
    hashedFile,
  )
  const states = [stateOf(faultStation, hashedFile), stateOf(faultStation, uploadedFile)]
  change(hashedFile)
  change(uploadedFile)
  faultStation.proxy.rule = () => null
  return states
}

for (const [name, change] of [
  ['file-replaced', replace],
  ['file-truncated', truncate],
  ['file-appended', append],
  ['file-edited-unseen', editKeepingTimes],
] as const)
  testFault(name, [], async ({ station }) => {
    const faultStation = await station()
    expect(await changeFiles(faultStation, change)).toEqual(['hashing', 'uploading'])
    await faultStation.waitForState('processed', 2)
    return { 'sessions created': faultStation.proxy.count(({ route }) => route === 'create') }
  })
