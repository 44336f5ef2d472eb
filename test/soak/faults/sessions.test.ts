import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { play } from '../../support/faults/play.ts'
import { PART, until } from '../../support/station.ts'

const sessionOf = (one: FaultStation, file: string): string | null =>
  one.rows<{ id: string | null }>('SELECT session_id AS id FROM recordings WHERE path = ?', file)[0]?.id ??
  null

const deleteAt = async (one: FaultStation, file: string): Promise<string> => {
  const id = await until('the recording has its session', () => sessionOf(one, file))
  const answer = await one.station.sandbox.api(`/v1/sessions/${id}`, { method: 'DELETE' })
  expect(answer.status).toBe(200)
  return id
}

play('session-deleted', [], async ({ station }) => {
  const one = await station(['--processing-delay', '6000'])
  const uploading = await one.record('uploading.bin', 2 * PART)
  const completing = await one.record('completing.bin', PART + 1)
  // Delays the parts of one session and the completion of the other.
  one.proxy.rule = ({ route, session }) => {
    if (route === 'part' && session === sessionOf(one, uploading)) return { kind: 'delay', ms: 4_000 }
    return route === 'complete' && session === sessionOf(one, completing) ? { kind: 'hang' } : null
  }
  one.run()
  await one.waitForJournal(
    'uploading',
    'SELECT 1 FROM recordings WHERE path = ? AND session_id IS NOT NULL',
    uploading,
  )
  await one.waitForState('completing')
  const first = [await deleteAt(one, uploading), await deleteAt(one, completing)]
  one.proxy.rule = () => null
  await one.waitForState('processed', 2)
  for (const [at, file] of [uploading, completing].entries()) expect(sessionOf(one, file)).not.toBe(first[at])

  const processing = await one.record('processing.bin')
  await one.waitForJournal(
    'processing',
    "SELECT 1 FROM recordings WHERE path = ? AND state = 'processing'",
    processing,
  )
  await deleteAt(one, processing)
  await one.waitForJournal(
    'the recording shows the deletion',
    "SELECT 1 FROM recordings WHERE path = ? AND problem_code = 'session-deleted'",
    processing,
  )
  const processed = await deleteAt(one, uploading)
  const puts = one.proxy.count(({ route }) => route === 'part')
  await one.record('after.bin')
  await one.waitForState('processed', 3)
  // Deleted by an authorised user: nothing is sent again without a request, and the local files stay.
  expect(one.proxy.count(({ route }) => route === 'part')).toBe(puts + 1)
  expect(sessionOf(one, uploading)).toBe(processed)
  one.allowed.deletedFiles = [processing, uploading]
  return { 'sessions deleted': 4, 'new sessions': 2 }
})
