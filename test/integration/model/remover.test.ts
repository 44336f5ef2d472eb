import { afterEach, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import { previewRemovals } from '../../../main/agent/calls/preview-removals.ts'
import type { RemovalCheck } from '../../../main/agent/ports/files.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The rules decide which files are removed, when, and in which order. */

const SIZE = 8_000_001
const DAY_MS = 86_400_000
const pathOf = (take: number) => `${FOLDER}/take-${take}.bin`

let model: ModelStation
afterEach(() => model.close())

const setRules = (...policies: readonly { readonly path: string; readonly after_upload?: object }[]) => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: policies.map((folder) => ({ site: 'lab', settle_seconds: 1, ...folder })),
  })
}

const isProcessed = () => model.recordings().every(({ state }) => state === 'processed')
const pathsInFolder = () => model.drive.paths().filter((path) => path.startsWith(FOLDER))

/** Processes the recordings one after the other, so that each is processed at a different time. */
const processRecordings = async (takes: number): Promise<void> => {
  model = new ModelStation()
  for (let take = 0; take < takes; take += 1) {
    model.drive.write(pathOf(take), `content ${take}`, SIZE)
    model.hint()
    expect(await model.until(() => model.recordings().length === take + 1 && isProcessed())).toBe(true)
  }
}

const preview = () =>
  previewRemovals(
    {
      journal: model.journal,
      files: model.drive.files,
      operations: model.fileOperations.operations,
      paths: linuxPaths,
      nowMs: model.nowMs,
    },
    FOLDER,
    model.settings.folders[0]!.after_upload,
    model.settings.folders.map(({ path }) => path),
  )

test('files stay if no rule applies, or until the days of the rule have passed', async () => {
  await processRecordings(1)
  await model.pass(400 * DAY_MS)
  await model.round()
  expect(pathsInFolder()).toHaveLength(1)
  await model.until(() => false, 3)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 500 } })
  await model.round()
  expect(pathsInFolder()).toHaveLength(1)
  await model.pass(101 * DAY_MS)
  await model.round()
  expect(pathsInFolder()).toEqual([])
  expect(model.recordingAt(pathOf(0)).removedAtMs).toBe(model.nowMs)
})

test('below the free-space limit, removes the oldest files first, and only as many as the preview showed', async () => {
  await processRecordings(4)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 90, keep_free_bytes: 10 * SIZE } })
  model.drive.freeBytes = 8 * SIZE
  model.fileOperations.onRemove = () => {
    model.drive.freeBytes += SIZE
  }
  expect(await preview()).toMatchObject({
    count: 2,
    bytes: 2 * SIZE,
    early: 2,
    files: [{ path: pathOf(0) }, {}],
  })
  await model.round()
  expect(pathsInFolder()).toEqual([pathOf(2), pathOf(3)])
  const reasons = model.journal.views.timeline(model.recordingAt(pathOf(0)).id).map(({ reason }) => reason)
  expect(reasons.at(-1)).toBe('deleted from this PC early to free up space')
  expect(await preview()).toMatchObject({ count: 0, bytes: 0 })
})

test('removes no file while the key is a test key, and no file that was processed with a test key', async () => {
  model = new ModelStation()
  const useKey = (isTestKey: boolean) => {
    model.service.usesTestKey = isTestKey
    model.restart()
    model.journal.station.setUsesTestKey(isTestKey)
  }
  useKey(true)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  model.drive.write(pathOf(0), 'sample', SIZE)
  expect(await model.until(() => model.recordings().length === 1 && isProcessed())).toBe(true)
  await model.until(() => false, 5)
  expect(pathsInFolder()).toEqual([pathOf(0)])
  expect(await preview()).toMatchObject({ blockedBy: 'test-key', count: 0 })

  useKey(false)
  model.drive.write(pathOf(1), 'production', SIZE)
  model.drive.write(pathOf(2), 'sample', SIZE)
  model.hint()
  expect(await model.until(() => model.recordings().length === 3 && isProcessed())).toBe(true)
  await model.until(() => false, 5)
  expect(pathsInFolder()).toEqual([pathOf(0), pathOf(2)])
  expect(await preview()).toMatchObject({ blockedBy: null, count: 0, underTestKey: 2 })

  setRules({ path: FOLDER, after_upload: { action: 'keep' } })
  model.drive.write(pathOf(3), 'processed with the live key', SIZE)
  model.hint()
  expect(await model.until(() => model.recordings().length === 4 && isProcessed())).toBe(true)
  useKey(true)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  await model.until(() => false, 5)
  expect(pathsInFolder()).toContain(pathOf(3))
})

test('does not move files early within one drive, because that frees no space', async () => {
  await processRecordings(1)
  setRules({
    path: FOLDER,
    after_upload: { action: 'move', to: '/archive', days: 90, keep_free_bytes: 1e15 },
  })
  await model.round()
  expect(pathsInFolder()).toHaveLength(1)
  setRules({
    path: FOLDER,
    after_upload: { action: 'move', to: '/other-drive/a', days: 90, keep_free_bytes: 1e15 },
  })
  await model.round()
  expect(model.drive.paths()).toEqual(['/other-drive/a/take-0.bin'])
})

test('a new file at the path of a removed file is a new recording; the removed recording does not become `gone`', async () => {
  await processRecordings(1)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  await model.round()
  await model.until(() => false, 5)
  expect(model.recordingAt(pathOf(0)).state).toBe('processed')
  setRules({ path: FOLDER })
  model.drive.write(pathOf(0), 'the next night', SIZE)
  model.hint()
  expect(await model.until(() => model.recordings().length === 2 && isProcessed())).toBe(true)
  expect(model.recordingAt(pathOf(0)).removedAtMs).toBeNull()
})

test('a file that a user moves back becomes a new recording with the same session', async () => {
  await processRecordings(1)
  setRules({ path: FOLDER, after_upload: { action: 'move', to: '/archive', days: 0 } })
  await model.round()
  expect(model.recordingAt(pathOf(0)).movedTo).toBe('/archive/take-0.bin')
  setRules({ path: FOLDER })
  model.drive.rename('/archive/take-0.bin', pathOf(0))
  model.hint()
  expect(await model.until(() => model.recordings().length === 2 && isProcessed())).toBe(true)
  expect(model.recordingAt(pathOf(0)).removedAtMs).toBeNull()
  expect(model.service.sessions.size).toBe(1)
})

test('the rules of an inner folder also apply to its earlier recordings', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/inner/take.bin`, 'content', SIZE)
  expect(await model.until(() => model.recordings().length === 1 && isProcessed())).toBe(true)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } }, { path: `${FOLDER}/inner` })
  expect(await preview()).toMatchObject({ count: 0, staying: 1 })
  await model.until(() => false, 5)
  expect(pathsInFolder()).toHaveLength(1)
})

test('a file stays if new settings keep it while the remover reads it', async () => {
  model = new ModelStation()
  const file = `${FOLDER}/inner/take.bin`
  model.drive.write(file, 'content', SIZE)
  expect(await model.until(() => model.recordings().length === 1 && isProcessed())).toBe(true)
  const outer = { path: FOLDER, after_upload: { action: 'delete', days: 0 } }
  setRules(outer)
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, {
    hash: (request: Parameters<typeof hash>[0]) => {
      setRules(outer, { path: `${FOLDER}/inner` })
      return hash(request)
    },
  })
  await model.until(() => false, 5)
  expect(pathsInFolder()).toEqual([file])
})

test('removes nothing while paused or with a refused key', async () => {
  await processRecordings(1)
  model.journal.station.pause(null)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  await model.round()
  expect(pathsInFolder()).toHaveLength(1)
  model.journal.station.resume()
  model.service.fate = () => ({
    kind: 'refused',
    failure: { kind: 'auth', reason: 'refused', message: 'no', requestId: null },
  })
  await model.until(() => false, 10)
  expect(pathsInFolder()).toHaveLength(1)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => pathsInFolder().length === 0)).toBe(true)
})

test('keeps the file of a session that the service no longer finds, and reports it', async () => {
  await processRecordings(1)
  model.service.sessions.clear()
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  expect(await model.until(() => model.recordingAt(pathOf(0)).state === 'failed')).toBe(true)
  expect(pathsInFolder()).toHaveLength(1)
  expect(model.recordingAt(pathOf(0)).problem?.code).toBe('session-deleted')
})

test.each([
  [
    'has failed',
    (session: { status: string; readonly request: object }) => Object.assign(session, { status: 'failed' }),
  ],
  [
    'is open again',
    (session: { status: string; readonly request: object }) =>
      Object.assign(session, { status: 'uploading' }),
  ],
  [
    'has different content',
    (session: { status: string; readonly request: object }) =>
      Object.assign(session.request, { sha256: 'cd'.repeat(32) }),
  ],
] as const)(
  'reports a recording as not safe after the service twice showed that its session %s',
  async (_, change) => {
    await processRecordings(1)
    const { sessionId } = model.recordingAt(pathOf(0))
    change(model.service.sessions.get(sessionId!)!)
    setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
    await model.round()
    expect(model.recordingAt(pathOf(0)).state).toBe('processed')
    expect(await model.until(() => model.recordingAt(pathOf(0)).state === 'failed')).toBe(true)
    expect(model.recordingAt(pathOf(0)).problem?.code).toBe('session-denied')
    expect(pathsInFolder()).toHaveLength(1)
  },
)

test('keeps a file that a user copied back if its session is lost, and uploads it after a retry', async () => {
  await processRecordings(1)
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  await model.round()
  expect(pathsInFolder()).toEqual([])
  const removedRecording = model.recordingAt(pathOf(0))
  setRules({ path: FOLDER })
  model.drive.write(pathOf(0), 'content 0', SIZE)
  model.hint()
  expect(await model.until(() => model.recordings().length === 2 && isProcessed())).toBe(true)
  expect(model.recordingAt(pathOf(0)).sessionId).toBe(removedRecording.sessionId)
  model.service.sessions.clear()
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  expect(await model.until(() => model.recordingAt(pathOf(0)).state === 'failed')).toBe(true)
  expect(pathsInFolder()).toHaveLength(1)
  const codes = model.recordings().map(({ problem }) => problem?.code)
  expect(codes).toEqual(['session-deleted', 'session-deleted'])
  setRules({ path: FOLDER })
  retry(model.journal, model.recordingAt(pathOf(0)))
  expect(await model.until(() => model.recordingAt(pathOf(0)).state === 'processed')).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual([model.recordingAt(pathOf(0)).sessionId])
})

test('an offline drive does not stop removals in other folders', async () => {
  await processRecordings(2)
  const other = '/other/take.bin'
  setRules(
    { path: FOLDER, after_upload: { action: 'delete', days: 0 } },
    { path: '/other', after_upload: { action: 'delete', days: 0 } },
  )
  const movedRecording = model.journal.recordings.byId(model.recordingAt(pathOf(1)).id)!
  model.drive.rename(pathOf(1), other)
  model.journal.recordings.move(
    movedRecording,
    { path: other, identity: movedRecording.identity },
    model.settings.folders[1]!,
  )
  model.journal.volumes.setVolume('/other', { device: '1', inode: '1' }, model.nowMs)
  const { action, target, copy, early } = {
    action: 'delete',
    target: null,
    copy: null,
    early: false,
  } as const
  model.journal.removals.intend(model.recordingAt(pathOf(0)), {
    action,
    target,
    copy,
    early,
    removalName: `${FOLDER}/aside`,
  })
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === FOLDER ? null : { device: '1', inode: '1' }),
  })
  expect(await model.until(() => !model.drive.paths().includes(other), 30)).toBe(true)
  expect(pathsInFolder()).toEqual([pathOf(0)])
})

test('checks for writers again after the remover has renamed the file', async () => {
  await processRecordings(1)
  const { inspect } = model.drive.files
  Object.assign(model.drive.files, {
    // Simulates a writer that opened the file after the first check.
    inspect: async (path: string, purpose?: RemovalCheck) => {
      const inspection = await inspect(path)
      return inspection.ok && purpose === 'at-removal'
        ? { ok: true, value: { ...inspection.value, writer: 'open' } }
        : inspection
    },
  })
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  await model.until(() => false, 5)
  expect(pathsInFolder()).toEqual([pathOf(0)])
  expect(model.journal.removals.of(model.recordingAt(pathOf(0)).id)?.waits).toBe('file-open')
})

test.each([
  ['whose writers are invisible', { writer: 'unseen' }],
  ['on a share, where another PC may write', { writer: 'none', shared: true }],
  ['whose writer may be a hidden program of this user', { writer: 'unlikely' }],
] as const)('removes a file %s only after a day without a change', async (_, inspection) => {
  model = new ModelStation()
  model.drive.write(pathOf(0), 'content', SIZE)
  const file = model.drive.at(pathOf(0))!
  const changedAtMs = model.nowMs
  const ctimeNs = `${changedAtMs}000000`
  model.drive.put(pathOf(0), { ...file, identity: { ...file.identity, ctimeNs } })
  model.hint()
  expect(await model.until(() => model.recordings().length === 1 && isProcessed())).toBe(true)
  model.drive.inspection = { ...model.drive.inspection, ...inspection }
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  await model.until(() => false, 3)
  expect(model.journal.removals.of(model.recordingAt(pathOf(0)).id)?.waits).toBe('writer-unseen')
  await model.pass(changedAtMs + DAY_MS - 60_000 - model.nowMs)
  await model.round()
  expect(pathsInFolder()).toEqual([pathOf(0)])
  await model.pass(61_000)
  expect(await model.until(() => pathsInFolder().length === 0, 10)).toBe(true)
})

test.each([
  ['while the agent was running', false],
  ['while the agent was off', true],
])('removes a file on time although the clock was set back %s', async (_, isOff) => {
  await processRecordings(1)
  model.wallShiftMs = 400 * DAY_MS
  model.drive.inspection = { ...model.drive.inspection, writer: 'open' }
  setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
  await model.until(() => false, 3)
  expect(model.journal.removals.of(model.recordingAt(pathOf(0)).id)?.waits).toBe('file-open')
  model.drive.inspection = { ...model.drive.inspection, writer: 'none' }
  model.wallShiftMs = 0
  if (isOff) model.restart()
  await model.round()
  await model.pass(DAY_MS)
  await model.round()
  expect(pathsInFolder()).toEqual([])
})

test.each([
  ['whose writers are invisible', { writer: 'unseen' }],
  ['on a share', { writer: 'none', shared: true }],
] as const)(
  'even if the clock of this PC is days ahead, waits a day before it removes a file %s',
  async (_, inspection) => {
    model = new ModelStation()
    model.drive.write(pathOf(0), 'content', SIZE)
    const file = model.drive.at(pathOf(0))!
    const times = { mtimeNs: `${model.nowMs}000000`, ctimeNs: `${model.nowMs}000000` }
    model.drive.put(pathOf(0), { ...file, identity: { ...file.identity, ...times } })
    const changedAtMs = model.nowMs
    model.hint()
    expect(await model.until(() => model.recordings().length === 1 && isProcessed())).toBe(true)
    model.drive.inspection = { ...model.drive.inspection, ...inspection }
    model.wallShiftMs = 2 * DAY_MS
    setRules({ path: FOLDER, after_upload: { action: 'delete', days: 0 } })
    await model.round()
    await model.pass(changedAtMs + DAY_MS - 60_000 - model.nowMs)
    await model.round()
    expect(pathsInFolder()).toEqual([pathOf(0)])
    expect(model.journal.removals.of(model.recordingAt(pathOf(0)).id)?.waits).toBe('writer-unseen')
    await model.pass(61_000)
    expect(await model.until(() => pathsInFolder().length === 0, 10)).toBe(true)
  },
)
