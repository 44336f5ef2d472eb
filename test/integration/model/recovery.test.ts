import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import { JournalFullError } from '../../../main/agent/journal/database.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.bin`

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const processed = () => model.until(() => model.single().state === 'processed')

test('a disk that fills up during an upload raises a condition, and the upload continues later', async () => {
  model.drive.write(FILE, 'many parts', 300_000_000)
  const sent = vi.spyOn(model.journal.parts, 'markSent').mockImplementation(() => {
    throw new JournalFullError()
  })
  await model.until(() => model.station.code('disk') !== null)
  expect(model.station.stop?.code).toBe('disk-full')
  expect(sent.mock.calls.length).toBeGreaterThan(0)
  sent.mockRestore()
  expect(await processed()).toBe(true)
})

test('a station condition does not use up retries of a deletion', async () => {
  model.drive.write(FILE, 'any', 10)
  expect(await processed()).toBe(true)
  const client = model.service.client()
  const { signal } = new AbortController()
  const request = { site: 'lab', filename: 'old', bytes: 1, sha256: 'x', part_size: 8_388_608 }
  const made = await client.createSession(request, 'key-old', signal)
  if (!made.ok) throw new Error('not made')
  model.journal.givenUp.session(made.value.value.id, 'for a test', request)
  model.service.fate = (call) =>
    call === 'retrieve' || call === 'list'
      ? { kind: 'refused', failure: { kind: 'auth', reason: 'refused', message: 'no', requestId: null } }
      : { kind: 'answered' }
  for (let n = 0; n < 60; n += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(model.station.code('key')).toBe('key-refused')
  expect(model.journal.givenUp.count()).toEqual({ all: 1, fresh: 1 })
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([{ id: made.value.value.id, wasComplete: false }])
})

test('Sluice does not delete a given-up session that is complete after all', async () => {
  model.drive.write(FILE, 'any', 10)
  expect(await processed()).toBe(true)
  const { id, sessionId } = model.single()
  model.journal.recordings.patch(id, { sessionId: null })
  model.journal.givenUp.session(sessionId ?? '', 'for a test', { sha256: null, bytes: 10 })
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([])
})

test('watches a folder again after its events failed, and clears the problem', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.announce = (listener) => listener.error('too many watches (ENOSPC)')
  await model.until(() => model.watcher.state.problem !== null)
  expect(model.watcher.state.problem?.code).toBe('folder-not-watched')
  model.drive.announce = (listener) => listener.ready()
  expect(await model.until(() => model.watcher.state.problem === null)).toBe(true)
})

test('reports an incomplete file until it grows again', async () => {
  model.drive.write(FILE, 'half', 10_000)
  model.drive.inspection = { format: 'mcap', complete: 'no', writer: 'none', sample: '' }
  await model.until(() => model.single().problem !== null, 5)
  expect(model.single()).toMatchObject({ state: 'growing', problem: { code: 'file-damaged' } })
  model.drive.write(FILE, 'more of it', 20_000)
  model.watcher.rescan()
  await model.pass(1_000)
  await model.round()
  expect(model.single()).toMatchObject({ problem: null, heldSinceMs: null })
})

test('the technician, not support, has to act on a cut-off file that the service cannot process', async () => {
  model.close()
  model = new ModelStation({
    around: (client) => ({
      ...client,
      retrieveSession: async (id, signal) => {
        const answer = await client.retrieveSession(id, signal)
        if (!answer.ok || answer.value.value.status === 'uploading') return answer
        return { ok: true, value: { ...answer.value, value: { ...answer.value.value, status: 'failed' } } }
      },
    }),
  })
  model.drive.write(FILE, 'half', 10_000)
  model.drive.inspection = { format: 'mcap', complete: 'no', writer: 'none', sample: '' }
  expect(await model.until(() => model.single().state === 'failed', 300)).toBe(true)
  expect(model.single().problem).toMatchObject({ code: 'recording-incomplete', owner: 'technician' })
})

/** Steps second by second. Returns how long the file stayed unchanged. */
const secondsUntilQueued = async (most: number, everySecond: () => void = () => {}): Promise<number> => {
  for (let seconds = 0; seconds <= most; seconds += 1) {
    await model.round()
    if (model.single().state !== 'growing') return seconds
    everySecond()
    await model.pass(1_000)
  }
  return Number.POSITIVE_INFINITY
}
const unseen = { format: 'other', complete: 'unknown', writer: 'unseen', sample: 'the end' } as const

test('waits three times as long if the writer cannot be detected', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = { ...unseen, writer: 'none' }
  expect(await secondsUntilQueued(20)).toBeLessThan(3)
  model.close()
  model = new ModelStation()
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = unseen
  expect(await secondsUntilQueued(20)).toBe(3)
  expect(await processed()).toBe(true)
})

test('a file whose last bytes change, with the same size and times, is not finished', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = unseen
  let writes = 0
  const write = () => {
    model.drive.inspection = { ...unseen, sample: `the end, written ${++writes} times` }
  }
  expect(await secondsUntilQueued(40, write)).toBe(Number.POSITIVE_INFINITY)
  expect(model.single()).toMatchObject({ state: 'growing', problem: null })
  expect(await processed()).toBe(true)
  expect(model.recordings()).toHaveLength(1)
})

test('takes two samples, some time apart, even of a file that was on hold', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = { ...unseen, writer: 'open', sample: '' }
  expect(await secondsUntilQueued(20)).toBe(Number.POSITIVE_INFINITY)
  model.drive.inspection = unseen
  expect(await secondsUntilQueued(20)).toBe(2)
  expect(await processed()).toBe(true)
})

test('without writer detection, an MCAP footer shows that the file is finished', async () => {
  model.drive.write(FILE, 'any', 10_000)
  model.drive.inspection = { ...unseen, format: 'mcap', complete: 'yes' }
  expect(await secondsUntilQueued(20)).toBeLessThan(3)
})

describe('a format that marks its end', () => {
  const TAKE = `${FOLDER}/take.mcap`
  const whole = { format: 'mcap', complete: 'yes', writer: 'none', sample: '' } as const
  const settleSlowly = () => {
    model.settings = { ...model.settings, folders: [{ ...model.settings.folders[0]!, settle_seconds: 60 }] }
    model.drive.write(TAKE, 'any', 10_000)
  }

  test.each(['none', 'unlikely'] as const)(
    'is finished as soon as its recorder has closed it: writer %s',
    async (writer) => {
      settleSlowly()
      model.drive.inspection = { ...whole, writer: 'open' }
      expect(await secondsUntilQueued(10)).toBe(Number.POSITIVE_INFINITY)
      model.drive.inspection = { ...whole, writer }
      expect(await secondsUntilQueued(20)).toBeLessThan(20)
      const reasons = model.journal.views.timeline(model.single().id).map(({ reason }) => reason)
      expect(reasons).toContain('closed by its recorder')
    },
  )

  test.each([
    ['on a share, where another PC may write', { ...whole, shared: true }],
    ['if the writer cannot be detected', { ...whole, writer: 'unseen' }],
    ['if the format has no end mark', { ...whole, format: 'wav' }],
    ['if the end mark is unknown', { ...whole, complete: 'unknown' }],
  ] as const)('waits the settle time %s', async (_, inspection) => {
    settleSlowly()
    model.drive.inspection = inspection
    expect(await secondsUntilQueued(55)).toBe(Number.POSITIVE_INFINITY)
    expect(model.single().problem).toBeNull()
  })

  test('waits the settle time after its recorder has appended to a finished file', async () => {
    settleSlowly()
    model.drive.inspection = whole
    expect(await model.until(() => model.recordings().some(({ state }) => state === 'processed'))).toBe(true)
    const finishedEarly = () =>
      model
        .recordings()
        .flatMap(({ id }) => model.journal.views.timeline(id))
        .filter(({ reason }) => reason === 'closed by its recorder').length
    expect(finishedEarly()).toBe(1)
    for (let append = 1; append <= 5; append += 1) {
      model.drive.write(TAKE, `any and ${append} more`, 10_000 + append)
      model.hint()
      for (let second = 0; second < 10; second += 1) {
        await model.round()
        await model.pass(1_000)
      }
    }
    expect(finishedEarly()).toBe(1)
    expect(model.service.sessions.size).toBe(1)
    const isAllProcessed = () => model.recordings().every(({ state }) => state === 'processed')
    expect(await model.until(isAllProcessed)).toBe(true)
    expect(model.service.sessions.size).toBe(2)
  })

  test('is reported as cut off within seconds after a crash, and uploaded', async () => {
    settleSlowly()
    model.drive.inspection = { ...whole, complete: 'no' }
    expect(await secondsUntilQueued(5)).toBe(Number.POSITIVE_INFINITY)
    expect(model.single().problem).toMatchObject({
      code: 'file-damaged',
      sentence: 'The file is cut off: the recorder probably crashed.',
    })
    expect(await secondsUntilQueued(130)).toBeLessThan(130)
    expect(await processed()).toBe(true)
  })
})

test('an empty file that is still open is not reported as empty', async () => {
  model.drive.write(FILE, 'nothing', 0)
  model.drive.inspection = { format: 'other', complete: 'unknown', writer: 'open', sample: '' }
  for (let n = 0; n < 20; n += 1) {
    await model.round()
    await model.pass(5_000)
  }
  expect(model.single()).toMatchObject({ state: 'growing', problem: null })
  model.drive.inspection = { ...model.drive.inspection, writer: 'none' }
  await model.until(() => model.single().problem !== null)
  expect(model.single().problem).toMatchObject({ code: 'empty-file', endsBy: 'file' })
})

test('forgets signed URLs of a session that was already complete', async () => {
  model.drive.write(FILE, 'any', 20_000_000)
  let completed = false
  model.service.fate = (call) => {
    if (call !== 'complete' || completed) return { kind: 'answered' }
    completed = true
    return { kind: 'lost', failure: { kind: 'network', origin: 'control', connected: true, detail: 'reset' } }
  }
  await model.until(() => model.single().state === 'completing')
  // Like a restored older journal, which does not know that the session is complete.
  await model.until(() => completed, 5)
  model.journal.recordings.transition(
    model.single().id,
    'completing',
    { kind: 'parts-missing' },
    { reason: 'for a test', patch: { completeKey: null } },
  )
  expect(await processed()).toBe(true)
  expect(model.journal.parts.of(model.single().id).map(({ url }) => url)).toEqual([null])
  expect(model.service.complete()).toHaveLength(1)
})

test('new content at the path of a recording in completion is a new recording', async () => {
  model.drive.write(FILE, 'the first night', 20_000_000)
  model.service.fate = (call) =>
    call === 'complete'
      ? { kind: 'refused', failure: { kind: 'conflict', code: 'conflict', message: 'busy', requestId: null } }
      : { kind: 'answered' }
  await model.until(() => model.single().state === 'completing')
  model.drive.write(FILE, 'the second night', 30_000_000)
  await model.until(() => model.recordings().length === 2)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings().every(({ state }) => state === 'processed'))).toBe(true)
  expect(model.service.complete()).toHaveLength(2)
  expect(model.service.deletions).toEqual([])
})

test('a recording replaced before its completion becomes `gone`, and never uploads the new bytes', async () => {
  model.drive.write(FILE, 'the first night', 20_000_000)
  model.service.fate = (call) =>
    call === 'complete'
      ? { kind: 'refused', failure: { kind: 'network', origin: 'control', connected: true, detail: 'reset' } }
      : { kind: 'answered' }
  await model.until(() => model.single().state === 'completing')
  model.drive.write(FILE, 'the second night', 20_000_000)
  await model.until(() => model.recordings().length === 2)
  model.service.fate = (call) =>
    call === 'complete'
      ? {
          kind: 'refused',
          failure: { kind: 'conflict', code: 'checksum_mismatch', message: 'no', requestId: null },
        }
      : { kind: 'answered' }
  await model.until(() => model.recordings()[0]?.state === 'gone')
  expect(model.recordings()[0]).toMatchObject({ current: false, problem: { code: 'file-vanished' } })
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings()[1]?.state === 'processed')).toBe(true)
})

test('probes a failed storage with a new recording if the open ones wait for their drive', async () => {
  model.drive.write(FILE, 'on a share', 30_000_000)
  const down: Failure = { kind: 'network', origin: 'storage', connected: false, detail: 'refused' }
  model.service.fate = (call) => (call === 'part' ? { kind: 'refused', failure: down } : { kind: 'answered' })
  await model.until(() => model.station.code('storage') !== null)
  expect(model.single().state).toBe('uploading')
  model.drive.fate = (_, path) =>
    path === FILE ? { kind: 'file-busy', detail: 'the drive did not answer' } : null
  await model.until(() => model.single().problem?.code === 'file-busy')
  model.drive.write(`${FOLDER}/own.bin`, 'on a drive that answers', 30_000_000)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings()[1]?.state === 'processed')).toBe(true)
  expect(model.station.code('storage')).toBeNull()
  model.drive.fate = () => null
  expect(await processed()).toBe(true)
})

test('a journal failure between two parts does not leak a slot', async () => {
  model.drive.write(FILE, 'many parts', 300_000_000)
  await model.until(() => model.single().state === 'uploading')
  const { station } = model
  const mayStartPart = station.mayStartPart.bind(station)
  let checks = 0
  // An upload reads the journal before and after it takes a slot.
  const asking = vi.spyOn(station, 'mayStartPart').mockImplementation((part) => {
    if (new Error('who asks').stack?.includes('upload/upload.ts') !== true) return mayStartPart(part)
    checks += 1
    if (checks % 2 === 0) throw new JournalFullError()
    return mayStartPart(part)
  })
  await model.until(() => checks > 20)
  asking.mockRestore()
  expect(await processed()).toBe(true)
})
