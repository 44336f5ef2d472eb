import { afterEach, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import { wholeDigest } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The service has several sessions of one file, for example after a retry, and the journal is lost. */

const CONTENT = 'a night'
const SIZE = 30_000_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

type Status = 'uploading' | 'processing' | 'processed' | 'failed'

const addSessions = async (statuses: readonly Status[]) => {
  const sha256 = wholeDigest(CONTENT)
  for (const [index, status] of statuses.entries()) {
    const body = { site: 'lab', filename: 'take.bin', bytes: SIZE, sha256, part_size: 64_000_000 }
    await model.service.client().createSession(body, `key ${index}`, new AbortController().signal)
    const session = model.service.sessions.get(`ses_${index + 1}`)
    if (session === undefined) throw new Error('the model refused a session')
    session.status = status
    session.completedAtMs = model.nowMs
  }
}

test.each<[readonly Status[], string]>([
  [['processed', 'failed'], 'ses_1'],
  [['failed', 'processed'], 'ses_2'],
  [['processing', 'uploading', 'failed'], 'ses_1'],
  [['uploading', 'failed'], 'ses_1'],
])(
  'of sessions in the states %s, Sluice adopts the one with the most progress',
  async (statuses, expectedId) => {
    model = new ModelStation()
    await addSessions(statuses)
    model.drive.write(`${FOLDER}/take.bin`, CONTENT, SIZE)
    expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
    expect(model.firstRecording().sessionId).toBe(expectedId)
    expect(model.service.sessions.size).toBe(statuses.length)
  },
)

test('of two sessions that are newer than its own request, Sluice adopts the processed one', async () => {
  model = new ModelStation()
  model.service.fate = (call) => (call === 'create' ? { kind: 'never' } : { kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, CONTENT, SIZE)
  expect(await model.until(() => (model.recordings()[0]?.createKey ?? null) !== null)).toBe(true)
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
  await addSessions(['processed', 'failed'])
  model.journal.recordings.patch(model.firstRecording().id, { findSessionFirst: true })
  expect(await model.until(() => model.firstRecording().sessionId !== null)).toBe(true)
  expect(model.firstRecording().sessionId).toBe('ses_1')
})

test('a retry after a restored journal does not adopt the failed session again', async () => {
  model = new ModelStation()
  await addSessions(['failed'])
  model.drive.write(`${FOLDER}/take.bin`, CONTENT, SIZE)
  expect(await model.until(() => model.recordings()[0]?.state === 'failed')).toBe(true)
  // After the agent restores a backup of the journal, it searches for a session before it creates one.
  model.journal.recordings.findSessionsFirst()
  retry(model.journal, model.firstRecording())
  expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  expect(model.firstRecording().sessionId).toBe('ses_2')
})
