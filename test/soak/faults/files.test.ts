import { truncateSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { append, editKeepingTimes, replace, truncate } from '../../support/faults/file-changes.ts'
import { play } from '../../support/faults/play.ts'
import { PART } from '../../support/station.ts'

/** Large enough to be still hashing when the fault comes, small enough to be uploaded. */
const longBytes = 300_000_000

const stateOf = (one: FaultStation, file: string) =>
  one.rows<{ state: string }>('SELECT state FROM recordings WHERE path = ? AND current = 1', file)[0]?.state

/** The change hits one file while it is hashed, and one while its first part is sent. */
const actOn = async (
  one: FaultStation,
  change: (file: string) => void,
): Promise<readonly (string | undefined)[]> => {
  one.configure({ folder: { part_size_bytes: 8 * PART } })
  one.proxy.rule = ({ route }) => (route === 'part' ? { kind: 'hang' } : null)
  const uploaded = await one.record('uploaded.bin', PART + 1)
  one.run()
  await one.waitForState('uploading')
  const hashed = one.file('hashed.bin')
  writeFileSync(hashed, 'a recording')
  truncateSync(hashed, longBytes)
  await one.waitForJournal(
    'the file is being hashed',
    "SELECT 1 FROM recordings WHERE path = ? AND state = 'hashing'",
    hashed,
  )
  const states = [stateOf(one, hashed), stateOf(one, uploaded)]
  change(hashed)
  change(uploaded)
  one.proxy.rule = () => null
  return states
}

for (const [name, change] of [
  ['file-replaced', replace],
  ['file-truncated', truncate],
  ['file-appended', append],
  ['file-edited-unseen', editKeepingTimes],
] as const)
  play(name, [], async ({ station }) => {
    const one = await station()
    expect(await actOn(one, change)).toEqual(['hashing', 'uploading'])
    await one.waitForState('processed', 2)
    return { 'sessions created': one.proxy.count(({ route }) => route === 'create') }
  })
