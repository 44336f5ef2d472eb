import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import { JournalFullError } from '../../../main/agent/journal/journal-errors.ts'
import { connectionReset } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.bin`

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => model.closeAndExpectNoBugs())

const waitUntilProcessed = () => model.until(() => model.firstRecording().state === 'processed')

test('a disk that fills up during an upload raises a condition, and the upload continues later', async () => {
  model.drive.write(FILE, 'many parts', 300_000_000)
  const sentSpy = vi.spyOn(model.journal.parts, 'markSent').mockImplementation(() => {
    throw new JournalFullError()
  })
  await model.until(() => model.station.code('disk') !== null)
  expect(model.station.stop?.code).toBe('disk-full')
  expect(sentSpy.mock.calls.length).toBeGreaterThan(0)
  sentSpy.mockRestore()
  expect(await waitUntilProcessed()).toBe(true)
})

test('a station condition does not use up retries of a deletion', async () => {
  model.drive.write(FILE, 'any', 10)
  expect(await waitUntilProcessed()).toBe(true)
  const client = model.service.client()
  const { signal } = new AbortController()
  const request = { site: 'lab', filename: 'old', bytes: 1, sha256: 'x', part_size: 8_388_608 }
  const created = await client.createSession(request, 'key-old', signal)
  if (!created.ok) throw new Error('not created')
  model.journal.givenUp.addSession(created.value.value.id, 'for a test', request)
  model.service.fate = (call) =>
    call === 'retrieve' || call === 'list'
      ? { kind: 'refused', failure: { kind: 'auth', reason: 'refused', message: 'no', requestId: null } }
      : { kind: 'answered' }
  for (let n = 0; n < 60; n += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(model.station.code('key')).toBe('key-refused')
  expect(model.journal.givenUp.count()).toEqual({ all: 1, untried: 1 })
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([{ id: created.value.value.id, wasComplete: false }])
})

test('Sluice does not delete a given-up session that is complete after all', async () => {
  model.drive.write(FILE, 'any', 10)
  expect(await waitUntilProcessed()).toBe(true)
  const { id, sessionId } = model.firstRecording()
  model.journal.recordings.patch(id, { sessionId: null })
  model.journal.givenUp.addSession(sessionId ?? '', 'for a test', { sha256: null, bytes: 10 })
  expect(await model.until(() => model.journal.givenUp.count().all === 0)).toBe(true)
  expect(model.service.deletions).toEqual([])
})

test('watches a folder again after its events failed, and clears the problem', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.sendEvents = (listener) => listener.error('too many watches (ENOSPC)')
  await model.until(() => model.watcher.state.problem !== null)
  expect(model.watcher.state.problem?.code).toBe('folder-not-watched')
  model.drive.sendEvents = (listener) => listener.ready()
  expect(await model.until(() => model.watcher.state.problem === null)).toBe(true)
})

test('reports an incomplete file until it grows again', async () => {
  model.drive.write(FILE, 'half', 10_000)
  model.drive.inspection = { format: 'mcap', complete: 'no', writer: 'none', sample: '' }
  await model.until(() => model.firstRecording().problem !== null, 5)
  expect(model.firstRecording()).toMatchObject({ state: 'growing', problem: { code: 'file-damaged' } })
  model.drive.write(FILE, 'more of it', 20_000)
  model.watcher.rescan()
  await model.pass(1_000)
  await model.round()
  expect(model.firstRecording()).toMatchObject({ problem: null, heldSinceMs: null })
})

test('the technician, not support, has to act on a cut-off file that the service cannot process', async () => {
  model.close()
  model = new ModelStation({
    wrapClient: (client) => ({
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
  expect(await model.until(() => model.firstRecording().state === 'failed', 300)).toBe(true)
  expect(model.firstRecording().problem).toMatchObject({ code: 'recording-incomplete', owner: 'technician' })
})

/** Runs one round per second. Returns the number of seconds until the file is queued, or infinity. */
const secondsUntilQueued = async (
  maxSeconds: number,
  everySecond: () => void = () => {},
): Promise<number> => {
  for (let seconds = 0; seconds <= maxSeconds; seconds += 1) {
    await model.round()
    if (model.firstRecording().state !== 'growing') return seconds
    everySecond()
    await model.pass(1_000)
  }
  return Number.POSITIVE_INFINITY
}
const unseenWriter = { format: 'other', complete: 'unknown', writer: 'unseen', sample: 'the end' } as const

test('Sluice waits three times the settle time if it cannot detect the writer', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = { ...unseenWriter, writer: 'none' }
  expect(await secondsUntilQueued(20)).toBeLessThan(3)
  model.close()
  model = new ModelStation()
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = unseenWriter
  expect(await secondsUntilQueued(20)).toBe(3)
  expect(await waitUntilProcessed()).toBe(true)
})

test('a file whose last bytes change is not finished, even if its size and times stay the same', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = unseenWriter
  let writes = 0
  const write = () => {
    model.drive.inspection = { ...unseenWriter, sample: `the end, written ${++writes} times` }
  }
  expect(await secondsUntilQueued(40, write)).toBe(Number.POSITIVE_INFINITY)
  expect(model.firstRecording()).toMatchObject({ state: 'growing', problem: null })
  expect(await waitUntilProcessed()).toBe(true)
  expect(model.recordings()).toHaveLength(1)
})

test('after a program closes a file, Sluice compares two samples of the file that it took at different times', async () => {
  model.drive.write(FILE, 'any', 10)
  model.drive.inspection = { ...unseenWriter, writer: 'open', sample: '' }
  expect(await secondsUntilQueued(20)).toBe(Number.POSITIVE_INFINITY)
  model.drive.inspection = unseenWriter
  expect(await secondsUntilQueued(20)).toBe(2)
  expect(await waitUntilProcessed()).toBe(true)
})

test('a file with an MCAP footer waits only one settle time, even if Sluice cannot detect its writer', async () => {
  model.drive.write(FILE, 'any', 10_000)
  model.drive.inspection = { ...unseenWriter, format: 'mcap', complete: 'yes' }
  expect(await secondsUntilQueued(20)).toBeLessThan(3)
})

describe('a recording whose format may mark its end', () => {
  const TAKE = `${FOLDER}/take.mcap`
  const finishedFile = { format: 'mcap', complete: 'yes', writer: 'none', sample: '' } as const
  const settleSlowly = () => {
    model.settings = { ...model.settings, folders: [{ ...model.settings.folders[0]!, settle_seconds: 60 }] }
    model.drive.write(TAKE, 'any', 10_000)
  }

  test.each(['none', 'unlikely'] as const)(
    'is finished as soon as its recorder has closed it: writer %s',
    async (writer) => {
      settleSlowly()
      model.drive.inspection = { ...finishedFile, writer: 'open' }
      expect(await secondsUntilQueued(10)).toBe(Number.POSITIVE_INFINITY)
      model.drive.inspection = { ...finishedFile, writer }
      expect(await secondsUntilQueued(20)).toBeLessThan(20)
      const reasons = model.journal.views.timeline(model.firstRecording().id).map(({ reason }) => reason)
      expect(reasons).toContain('closed by its recorder')
    },
  )

  test.each([
    ['on a share, where another PC may write', { ...finishedFile, shared: true }],
    ['if the writer cannot be detected', { ...finishedFile, writer: 'unseen' }],
    ['if the format has no end mark', { ...finishedFile, format: 'wav' }],
    ['if the end mark is unknown', { ...finishedFile, complete: 'unknown' }],
  ] as const)('waits the settle time %s', async (_, inspection) => {
    settleSlowly()
    model.drive.inspection = inspection
    expect(await secondsUntilQueued(55)).toBe(Number.POSITIVE_INFINITY)
    expect(model.firstRecording().problem).toBeNull()
  })

  test('waits the settle time after its recorder has appended to a finished file', async () => {
    settleSlowly()
    model.drive.inspection = finishedFile
    expect(await model.until(() => model.recordings().some(({ state }) => state === 'processed'))).toBe(true)
    const countFinishedEarly = () =>
      model
        .recordings()
        .flatMap(({ id }) => model.journal.views.timeline(id))
        .filter(({ reason }) => reason === 'closed by its recorder').length
    expect(countFinishedEarly()).toBe(1)
    for (let append = 1; append <= 5; append += 1) {
      model.drive.write(TAKE, `any and ${append} more`, 10_000 + append)
      model.hint()
      for (let second = 0; second < 10; second += 1) {
        await model.round()
        await model.pass(1_000)
      }
    }
    expect(countFinishedEarly()).toBe(1)
    expect(model.service.sessions.size).toBe(1)
    const isAllProcessed = () => model.recordings().every(({ state }) => state === 'processed')
    expect(await model.until(isAllProcessed)).toBe(true)
    expect(model.service.sessions.size).toBe(2)
  })

  test('is reported as cut off within seconds after its recorder crashed, and is uploaded later', async () => {
    settleSlowly()
    model.drive.inspection = { ...finishedFile, complete: 'no' }
    expect(await secondsUntilQueued(5)).toBe(Number.POSITIVE_INFINITY)
    expect(model.firstRecording().problem).toMatchObject({
      code: 'file-damaged',
      sentence: 'The file is cut off: the recorder probably crashed.',
    })
    expect(await secondsUntilQueued(130)).toBeLessThan(130)
    expect(await waitUntilProcessed()).toBe(true)
  })
})

test('an empty file that is still open is not reported as empty', async () => {
  model.drive.write(FILE, 'nothing', 0)
  model.drive.inspection = { format: 'other', complete: 'unknown', writer: 'open', sample: '' }
  for (let n = 0; n < 20; n += 1) {
    await model.round()
    await model.pass(5_000)
  }
  expect(model.firstRecording()).toMatchObject({ state: 'growing', problem: null })
  model.drive.inspection = { ...model.drive.inspection, writer: 'none' }
  await model.until(() => model.firstRecording().problem !== null)
  expect(model.firstRecording().problem).toMatchObject({ code: 'empty-file', endsBy: 'file' })
})

test('forgets signed URLs of a session that was already complete', async () => {
  model.drive.write(FILE, 'any', 20_000_000)
  let isCompleted = false
  model.service.fate = (call) => {
    if (call !== 'complete' || isCompleted) return { kind: 'answered' }
    isCompleted = true
    return { kind: 'lost', failure: connectionReset }
  }
  await model.until(() => model.firstRecording().state === 'completing')
  await model.until(() => isCompleted, 5)
  // Simulates a restored journal that does not know that the session is complete.
  model.journal.recordings.transition(
    model.firstRecording().id,
    'completing',
    { kind: 'parts-missing' },
    { reason: 'for a test', patch: { completeKey: null } },
  )
  expect(await waitUntilProcessed()).toBe(true)
  expect(model.journal.parts.of(model.firstRecording().id).map(({ url }) => url)).toEqual([null])
  expect(model.service.completeSessions()).toHaveLength(1)
})

test('new content at the path of a recording that Sluice is completing becomes a new recording', async () => {
  model.drive.write(FILE, 'the first night', 20_000_000)
  model.service.fate = (call) =>
    call === 'complete'
      ? { kind: 'refused', failure: { kind: 'conflict', code: 'conflict', message: 'busy', requestId: null } }
      : { kind: 'answered' }
  await model.until(() => model.firstRecording().state === 'completing')
  model.drive.write(FILE, 'the second night', 30_000_000)
  await model.until(() => model.recordings().length === 2)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings().every(({ state }) => state === 'processed'))).toBe(true)
  expect(model.service.completeSessions()).toHaveLength(2)
  expect(model.service.deletions).toEqual([])
})

test('a recording that is replaced before its completion becomes `gone`', async () => {
  model.drive.write(FILE, 'the first night', 20_000_000)
  model.service.fate = (call) =>
    call === 'complete' ? { kind: 'refused', failure: connectionReset } : { kind: 'answered' }
  await model.until(() => model.firstRecording().state === 'completing')
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

test('Sluice probes a failed storage with a new recording if the drive of the others does not answer', async () => {
  model.drive.write(FILE, 'on a share', 30_000_000)
  const outage: Failure = { kind: 'network', origin: 'storage', connected: false, detail: 'refused' }
  model.service.fate = (call) =>
    call === 'part' ? { kind: 'refused', failure: outage } : { kind: 'answered' }
  await model.until(() => model.station.code('storage') !== null)
  expect(model.firstRecording().state).toBe('uploading')
  model.drive.fate = (_, path) =>
    path === FILE ? { kind: 'file-busy', detail: 'the drive did not answer' } : null
  await model.until(() => model.firstRecording().problem?.code === 'file-busy')
  model.drive.write(`${FOLDER}/own.bin`, 'on a drive that answers', 30_000_000)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings()[1]?.state === 'processed')).toBe(true)
  expect(model.station.code('storage')).toBeNull()
  model.drive.fate = () => null
  expect(await waitUntilProcessed()).toBe(true)
})

test('a journal failure between two parts does not leak a slot', async () => {
  model.drive.write(FILE, 'many parts', 300_000_000)
  await model.until(() => model.firstRecording().state === 'uploading')
  const { station } = model
  const mayStartPart = station.mayStartPart.bind(station)
  let checks = 0
  // An upload makes this check before and after it takes a slot, so every second check fails while it has the slot.
  const spy = vi.spyOn(station, 'mayStartPart').mockImplementation((part) => {
    if (new Error('the stack of the caller').stack?.includes('upload/upload.ts') !== true)
      return mayStartPart(part)
    checks += 1
    if (checks % 2 === 0) throw new JournalFullError()
    return mayStartPart(part)
  })
  await model.until(() => checks > 20)
  spy.mockRestore()
  expect(await waitUntilProcessed()).toBe(true)
})
