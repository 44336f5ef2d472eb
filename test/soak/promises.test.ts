import { appendFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FaultStation } from '../support/faults/fault-station.ts'
import { findBrokenPromises } from '../support/faults/promises.ts'
import { mismatch } from '../support/faults/refusal.ts'
import { seeded } from '../support/seeded.ts'
import { PART } from '../support/station.ts'

test('the check that follows every fault reports four kinds of broken promises', async () => {
  const faultStation = await FaultStation.open(seeded(3))
  onTestFinished(() => faultStation.close())
  await faultStation.record('sent-twice.bin', PART + 1)
  const changedFile = await faultStation.record('changed.bin')
  let remaining = 1
  faultStation.proxy.rule = ({ route }) => (route === 'complete' && remaining-- > 0 ? mismatch : null)
  const agent = faultStation.run()
  await faultStation.waitForState('processed', 2)
  await agent.kill()
  appendFileSync(changedFile, 'changed while no agent runs')
  const [signature] = faultStation.proxy.signatures
  writeFileSync(
    path.join(faultStation.data, 'logs', 'other.log'),
    `${faultStation.station.sandbox.keys.write} ${signature}`,
  )
  const strayBody = { site: 'lab', filename: 'stray.bin', bytes: 3, sha256: 'a'.repeat(64) }
  const headers = { 'content-type': 'application/json' }
  await faultStation.station.sandbox.api('/v1/sessions', {
    method: 'POST',
    headers,
    body: JSON.stringify(strayBody),
  })

  expect(await findBrokenPromises(faultStation)).toEqual([
    '0 sessions for changed.bin',
    expect.stringMatching(/^sessions without a recording: /),
    expect.stringMatching(/^acknowledged parts sent again: /),
    '2 secrets in the logs',
  ])
})
