import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { partDigest, wholeDigest } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Two stations of one site have the same file, for example on a share. This one has a new journal. */

const CONTENT = 'a night'
const PART_SIZE = 64_000_000
const SIZE = 2 * PART_SIZE

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const isProcessed = () => model.recordings()[0]?.state === 'processed'

/** The other station has sent one of two parts. */
const openByOther = async (device: string | null): Promise<string> => {
  const sha256 = wholeDigest(CONTENT)
  const body = { site: 'lab', filename: 'take.bin', bytes: SIZE, sha256, part_size: PART_SIZE }
  const created = await model.service
    .client()
    .createSession({ ...body, ...(device === null ? {} : { device }) }, 'other', new AbortController().signal)
  if (!created.ok) throw new Error('the model refused a session')
  const { id } = created.value.value
  // Not an MD5, so this station cannot guess it.
  model.service.sessions
    .get(id)
    ?.parts.set(1, { sha256: partDigest(CONTENT, 1, PART_SIZE), etag: '"unknown here"' })
  return id
}

const writeForNewJournal = () => {
  model.drive.write(`${FOLDER}/take.bin`, CONTENT, SIZE)
}

test('a station never deletes an open session that it adopted', async () => {
  const other = await openByOther(null)
  writeForNewJournal()
  expect(await model.until(isProcessed)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.journal.views.timeline(model.single().id).map(({ reason }) => reason)).toContain(
    'found its session at the service',
  )
  expect(model.single().sessionId).not.toBe(other)
  expect(model.service.deletions).toEqual([])
  expect(model.service.sessions.get(other)?.status).toBe('uploading')
})

test('a station never deletes an adopted session when the file changes', async () => {
  const other = await openByOther(null)
  model.service.fate = (call) => (call === 'part' ? { kind: 'never' } : { kind: 'answered' })
  writeForNewJournal()
  expect(await model.until(() => model.recordings()[0]?.sessionId === other)).toBe(true)
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, 'another night', SIZE)
  expect(await model.until(() => model.service.complete().length === 1)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([])
})

test('a station does not adopt the open session of a different device', async () => {
  const other = await openByOther('camera of the other station')
  writeForNewJournal()
  expect(await model.until(isProcessed)).toBe(true)
  expect(model.service.calls.filter((call) => call === 'complete')).toHaveLength(1)
  expect(model.single().sessionId).not.toBe(other)
  expect(model.service.sessions.get(other)?.parts.size).toBe(1)
  expect(model.service.deletions).toEqual([])
})

test.each([
  ['uploads its own session', true],
  ['uses the processed session', false],
])(
  'with a different device at the service, a folder %s if upload_duplicates is %s',
  async (_, duplicates) => {
    model.settings = settingsSchema.parse({
      ...model.settings,
      folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, upload_duplicates: duplicates }],
    })
    const other = await openByOther('camera of the other station')
    const session = model.service.sessions.get(other)!
    session.status = 'processed'
    session.completedAtMs = model.nowMs
    writeForNewJournal()
    expect(await model.until(isProcessed)).toBe(true)
    expect(model.single().sessionId === other).toBe(!duplicates)
    expect(model.service.sessions.size).toBe(duplicates ? 2 : 1)
  },
)

test('after an unreadable answer, a station deletes only the session that its own key names', async () => {
  const unreadable = {
    kind: 'unreadable-answer',
    detail: 'upload: expected object',
    requestId: null,
  } as const
  let isUnreadable = true
  model.close()
  model = new ModelStation({
    around: (client) => ({
      ...client,
      createSession: async (request, key, signal) => {
        const answer = await client.createSession(request, key, signal)
        return isUnreadable ? failed(unreadable) : answer
      },
    }),
  })
  model.service.fate = (call) => (call === 'part' ? { kind: 'never' } : { kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, CONTENT, SIZE)
  await model.until(() => model.recordings()[0]?.sessionId === 'ses_1')
  expect(model.single().sessionId).toBe('ses_1')
  model.restart()
  isUnreadable = false
  model.service.fate = () => ({ kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, 'another night', SIZE)
  expect(await model.until(() => model.service.complete().length === 1)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([{ id: 'ses_1', wasComplete: false }])
})
