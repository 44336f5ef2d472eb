import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { PART, until } from '../../support/station.ts'

const sessionOf = (faultStation: FaultStation, file: string): string | null =>
  faultStation.rows<{ id: string | null }>('SELECT session_id AS id FROM recordings WHERE path = ?', file)[0]
    ?.id ?? null

const deleteSession = async (faultStation: FaultStation, file: string): Promise<string> => {
  const id = await until('the recording has its session', () => sessionOf(faultStation, file))
  const answer = await faultStation.station.sandbox.api(`/v1/sessions/${id}`, { method: 'DELETE' })
  expect(answer.status).toBe(200)
  return id
}

testFault('session-deleted', [], async ({ station }) => {
  const faultStation = await station(['--processing-delay', '6000'])
  const uploading = await faultStation.record('uploading.bin', 2 * PART)
  const completing = await faultStation.record('completing.bin', PART + 1)
  // The parts of `uploading.bin` are slow, and the completion of `completing.bin` hangs.
  faultStation.proxy.rule = ({ route, session }) => {
    if (route === 'part' && session === sessionOf(faultStation, uploading))
      return { kind: 'delay', ms: 4_000 }
    return route === 'complete' && session === sessionOf(faultStation, completing) ? { kind: 'hang' } : null
  }
  faultStation.run()
  await faultStation.waitForJournal(
    'uploading',
    'SELECT 1 FROM recordings WHERE path = ? AND session_id IS NOT NULL',
    uploading,
  )
  await faultStation.waitForState('completing')
  const deletedIds = [
    await deleteSession(faultStation, uploading),
    await deleteSession(faultStation, completing),
  ]
  faultStation.proxy.rule = () => null
  await faultStation.waitForState('processed', 2)
  for (const [at, file] of [uploading, completing].entries())
    expect(sessionOf(faultStation, file)).not.toBe(deletedIds[at])

  const processing = await faultStation.record('processing.bin')
  await faultStation.waitForJournal(
    'processing',
    "SELECT 1 FROM recordings WHERE path = ? AND state = 'processing'",
    processing,
  )
  await deleteSession(faultStation, processing)
  await faultStation.waitForJournal(
    'the recording shows the deletion',
    "SELECT 1 FROM recordings WHERE path = ? AND problem_code = 'session-deleted'",
    processing,
  )
  const processed = await deleteSession(faultStation, uploading)
  const puts = faultStation.proxy.count(({ route }) => route === 'part')
  await faultStation.record('after.bin')
  await faultStation.waitForState('processed', 3)
  // A user deleted these two sessions after their completion, so the agent does not send the recordings again.
  expect(faultStation.proxy.count(({ route }) => route === 'part')).toBe(puts + 1)
  expect(sessionOf(faultStation, uploading)).toBe(processed)
  faultStation.allowed.deletedFiles = [processing, uploading]
  return { 'sessions deleted': 4, 'new sessions': 2 }
})
