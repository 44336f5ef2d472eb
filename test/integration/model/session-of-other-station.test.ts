import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { partDigest, wholeDigest } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Two stations of one site have the same file, for example on a share. This station has a new journal. */

const CONTENT = 'a night'
const PART_SIZE = 64_000_000
const SIZE = 2 * PART_SIZE

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => model.closeAndExpectNoBugs())

const isProcessed = () => model.recordings()[0]?.state === 'processed'

/** Opens a session as the other station, which has sent one of two parts. Returns the ID of the session. */
const openSessionOfOther = async (device: string | null): Promise<string> => {
  const sha256 = wholeDigest(CONTENT)
  const body = { site: 'lab', filename: 'take.bin', bytes: SIZE, sha256, part_size: PART_SIZE }
  const created = await model.service
    .client()
    .createSession({ ...body, ...(device === null ? {} : { device }) }, 'other', new AbortController().signal)
  if (!created.ok) throw new Error('the model refused a session')
  const { id } = created.value.value
  // The ETag is not an MD5, so this station cannot guess it.
  model.service.sessions
    .get(id)
    ?.parts.set(1, { sha256: partDigest(CONTENT, 1, PART_SIZE), etag: '"unknown here"' })
  return id
}

const writeSameFile = () => {
  model.drive.write(`${FOLDER}/take.bin`, CONTENT, SIZE)
}

test('a station that cannot continue an adopted session creates its own, and never deletes the adopted one', async () => {
  const otherId = await openSessionOfOther(null)
  writeSameFile()
  expect(await model.until(isProcessed)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.journal.views.timeline(model.firstRecording().id).map(({ reason }) => reason)).toContain(
    'found its session at the service',
  )
  expect(model.firstRecording().sessionId).not.toBe(otherId)
  expect(model.service.deletions).toEqual([])
  expect(model.service.sessions.get(otherId)?.status).toBe('uploading')
})

test('if its folder names no device, a station with a new journal continues its own half-sent session', async () => {
  // The second part never arrives.
  model.service.fate = (call) =>
    call === 'part' && model.service.countCalls('part') > 1 ? { kind: 'never' } : { kind: 'answered' }
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, part_size_bytes: PART_SIZE }],
  })
  writeSameFile()
  const parts = () => [...model.service.sessions.values()][0]?.parts
  expect(await model.until(() => parts()?.size === 1)).toBe(true)
  const sessionId = model.firstRecording().sessionId!
  const [[number, part]] = [...parts()!] as [[number, { sha256: string; etag: string }]]
  // As at most storages, the ETag is the MD5 of the part, so Sluice can derive it. In the model, every MD5 is `00`.
  parts()!.set(number, { ...part, etag: '"00"' })
  model.service.fate = () => ({ kind: 'answered' })
  const sentBefore = model.service.countCalls('part')
  model.loseJournal()
  expect(await model.until(isProcessed)).toBe(true)
  expect(model.firstRecording().sessionId).toBe(sessionId)
  expect([...model.service.sessions.keys()]).toEqual([sessionId])
  expect(model.service.countCalls('part') - sentBefore).toBe(1)
})

test('a station never deletes an adopted session when the file changes', async () => {
  const otherId = await openSessionOfOther(null)
  model.service.fate = (call) => (call === 'part' ? { kind: 'never' } : { kind: 'answered' })
  writeSameFile()
  expect(await model.until(() => model.recordings()[0]?.sessionId === otherId)).toBe(true)
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, 'another night', SIZE)
  expect(await model.until(() => model.service.completeSessions().length === 1)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([])
})

test('a station does not adopt the open session of a different device', async () => {
  const otherId = await openSessionOfOther('camera of the other station')
  writeSameFile()
  expect(await model.until(isProcessed)).toBe(true)
  expect(model.service.countCalls('complete')).toBe(1)
  expect(model.firstRecording().sessionId).not.toBe(otherId)
  expect(model.service.sessions.get(otherId)?.parts.size).toBe(1)
  expect(model.service.deletions).toEqual([])
})

test.each([
  ['creates its own session', true],
  ['uses the processed session', false],
])(
  'if the service has the same file from another device, a station %s (upload_duplicates: %s)',
  async (_, duplicates) => {
    model.settings = settingsSchema.parse({
      ...model.settings,
      folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, upload_duplicates: duplicates }],
    })
    const other = await openSessionOfOther('camera of the other station')
    const session = model.service.sessions.get(other)!
    session.status = 'processed'
    session.completedAtMs = model.nowMs
    writeSameFile()
    expect(await model.until(isProcessed)).toBe(true)
    expect(model.firstRecording().sessionId === other).toBe(!duplicates)
    expect(model.service.sessions.size).toBe(duplicates ? 2 : 1)
  },
)

test('a station does not adopt the failed session of a different device', async () => {
  const other = await openSessionOfOther('camera of the other station')
  const session = model.service.sessions.get(other)!
  session.status = 'failed'
  session.completedAtMs = model.nowMs
  writeSameFile()
  expect(await model.until(isProcessed)).toBe(true)
  expect(model.firstRecording().sessionId).not.toBe(other)
})

test('after an unreadable answer, a station deletes only the session that its own idempotency key created', async () => {
  const unreadableAnswer = {
    kind: 'unreadable-answer',
    detail: 'upload: expected object',
    requestId: null,
  } as const
  let isUnreadable = true
  model.close()
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: async (request, key, signal) => {
        const answer = await client.createSession(request, key, signal)
        return isUnreadable ? failed(unreadableAnswer) : answer
      },
    }),
  })
  model.service.fate = (call) => (call === 'part' ? { kind: 'never' } : { kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, CONTENT, SIZE)
  await model.until(() => model.recordings()[0]?.sessionId === 'ses_1')
  expect(model.firstRecording().sessionId).toBe('ses_1')
  model.restart()
  isUnreadable = false
  model.service.fate = () => ({ kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, 'another night', SIZE)
  expect(await model.until(() => model.service.completeSessions().length === 1)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([{ id: 'ses_1', wasComplete: false }])
})

test.each([
  ['shows', (site: string | null) => site],
  ['does not show', () => null],
])(
  'a station does not adopt a session of a different site, even if the list ignores the site filter and %s the site',
  async (_, listedSite) => {
    model.close()
    model = new ModelStation({
      wrapClient: (client) => ({
        ...client,
        listSessions: async ({ site: _ignored, ...filter }, signal) => {
          const answer = await client.listSessions(filter, signal)
          if (!answer.ok) return answer
          const { value: page } = answer.value
          const sessions = page.sessions.map((session) => ({ ...session, site: listedSite(session.site) }))
          return { ok: true, value: { ...answer.value, value: { ...page, sessions } } }
        },
      }),
    })
    const otherId = await openSessionOfOther(null)
    const other = model.service.sessions.get(otherId)!
    model.service.sessions.set(otherId, {
      ...other,
      request: { ...other.request, site: 'a different site' },
      status: 'processed',
      completedAtMs: model.nowMs,
    })
    writeSameFile()
    expect(await model.until(isProcessed)).toBe(true)
    expect(model.firstRecording().sessionId).not.toBe(otherId)
  },
)
