import { afterEach, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import { done, type Failure, failed } from '../../../main/agent/domain/failure.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { wholeDigest } from '../../support/model/content.ts'
import type { ServiceCall } from '../../support/model/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.bin`
const SIZE = 30_000_000

let model: ModelStation
afterEach(() => model.close())

const timeout: Failure = { kind: 'timeout', origin: 'control', connected: true, detail: 'no answer' }
const notFound: Failure = { kind: 'not-found', message: 'a copy that lags behind', requestId: 'req_1' }

/** Fails this call with each failure once, then succeeds. */
const failCalls = (failingCall: ServiceCall, failures: readonly Failure[]) => {
  const queue = [...failures]
  model.service.fate = (call) => {
    const failure = call === failingCall ? queue.shift() : undefined
    return failure === undefined ? { kind: 'answered' } : { kind: 'refused', failure }
  }
}

/** Overwrites the file while the service creates its session slowly. Returns the SHA-256 of the new content. */
const rewriteDuringCreation = async (firstBytes: number): Promise<string> => {
  const gate = { heldKey: '', open: () => {} }
  let isSlow = true
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: async (...args) => {
        const [, key] = args
        // The service still processes the first request.
        if (gate.heldKey === key)
          return failed({ kind: 'conflict', code: 'busy', message: '', requestId: 'req_1' })
        const answer = await client.createSession(...args)
        if (isSlow) {
          isSlow = false
          gate.heldKey = key
          await new Promise<void>((resolve) => {
            gate.open = resolve
          })
          gate.heldKey = ''
        }
        return answer
      },
      // §4.3: a completion lists every part.
      completeSession: async (id, body, key, signal) => {
        const { bytes = 0, part_size = bytes } = model.service.sessions.get(id)?.request ?? {}
        if (body.parts.length === Math.ceil(bytes / part_size))
          return client.completeSession(id, body, key, signal)
        return failed({
          kind: 'rejected',
          origin: 'control',
          status: 400,
          code: 'parameter_invalid',
          message: 'not every part',
          param: 'parts',
          requestId: 'req_1',
        })
      },
    }),
  })
  model.drive.write(FILE, 'first take', firstBytes)
  for (let n = 0; n < 6 && model.service.sessions.size === 0; n += 1) {
    await model.round()
    await model.pass(1_000)
  }
  expect(model.recordingAt(FILE).state).toBe('ready')
  // The recorder overwrites the file, and Sluice hashes it again before the answer arrives.
  model.drive.write(FILE, 'second take', SIZE)
  const secondSha256 = wholeDigest('second take')
  for (
    let n = 0;
    n < 60 && !(model.recordingAt(FILE).state === 'ready' && model.recordingAt(FILE).sha256 === secondSha256);
    n += 1
  ) {
    await model.round()
    await model.pass(1_000)
  }
  gate.open()
  await model.round()
  return secondSha256
}

test('Sluice never uses a session for different content', async () => {
  const secondSha256 = await rewriteDuringCreation(SIZE)
  const problems = new Set<string>()
  const startedAtMs = model.nowMs
  await model.until(() => {
    const { problem, state } = model.recordingAt(FILE)
    if (problem !== null) problems.add(problem.code)
    return state === 'processed'
  }, 300)
  expect(model.recordingAt(FILE).state).toBe('processed')
  expect(model.service.completeSessions().map(({ request }) => request.sha256)).toEqual([secondSha256])
  // Sluice sent the new content once, and showed no problem.
  expect({
    parts: model.service.countCalls('part'),
    problems: [...problems],
    minutes: Math.round((model.nowMs - startedAtMs) / 60_000),
  }).toEqual({ parts: 1, problems: [], minutes: 0 })
})

test('small content is uploaded even if it replaces larger content while the session is created', async () => {
  await rewriteDuringCreation(90_000_000)
  await model.until(() => model.recordingAt(FILE).state === 'processed', 600)
  const { state, problem } = model.recordingAt(FILE)
  expect({ state, problem: problem?.code ?? null }).toEqual({ state: 'processed', problem: null })
})

test('does not replace a complete session after two lost answers and one 404', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
  const queue: Partial<Record<ServiceCall, Failure[]>> = {
    complete: [timeout],
    retrieve: [timeout, notFound],
  }
  model.service.fate = (call) => {
    const failure = queue[call]?.shift()
    return failure === undefined ? { kind: 'answered' } : { kind: 'lost', failure }
  }
  await model.until(() => model.recordingAt(FILE).state === 'processed', 200)
  expect(model.recordingAt(FILE).state).toBe('processed')
  expect(model.service.completeSessions().map(({ id }) => id)).toHaveLength(1)
})

test('after the answer to a completion is lost, one 403 does not make Sluice create a second session', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
  const denial: Failure = {
    kind: 'other-organisation',
    message: 'denied for a moment',
    requestId: 'req_1',
  }
  const queue: Partial<Record<ServiceCall, Failure[]>> = { complete: [timeout], retrieve: [denial] }
  model.service.fate = (call) => {
    const failure = queue[call]?.shift()
    return failure === undefined ? { kind: 'answered' } : { kind: 'lost', failure }
  }
  await model.until(() => model.recordingAt(FILE).state === 'processed', 200)
  expect(model.service.completeSessions().map(({ id }) => id)).toHaveLength(1)
})

test('a recording in processing continues after two timeouts and one 404', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => model.recordingAt(FILE).state === 'processing', 60)
  failCalls('retrieve', [timeout, timeout, notFound])
  await model.until(() => model.recordingAt(FILE).state !== 'processing', 100)
  expect(model.recordingAt(FILE)).toMatchObject({ state: 'processed', problem: null })
})

test('the retry of a failed recording whose file was replaced leaves no unfinished work', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => model.recordingAt(FILE).state === 'processing', 60)
  const oldId = model.recordingAt(FILE).id
  failCalls(
    'retrieve',
    Array.from({ length: 40 }, () => notFound),
  )
  await model.until(() => model.recordingAt(FILE).state === 'failed', 100)
  failCalls('retrieve', [])
  model.drive.write(FILE, 'another night', SIZE + 1)
  await model.until(
    () => model.recordingAt(FILE).id !== oldId && model.recordingAt(FILE).state === 'processed',
    100,
  )
  const oldRecording = model.journal.recordings.byId(oldId)
  if (oldRecording === null) throw new Error('lost')
  expect(oldRecording).toMatchObject({ state: 'failed', current: false })
  retry(model.journal, oldRecording)
  await model.until(() => model.journal.recordings.byId(oldId)?.state !== 'growing', 300)
  expect(model.journal.recordings.byId(oldId)?.state).not.toBe('growing')
  expect(model.journal.work.countUnfinished()).toEqual({
    ready: 0,
    processing: 0,
    temporary: 0,
    attention: 0,
  })
})

test('gives up an incomplete session whose file was replaced', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
  failCalls(
    'complete',
    Array.from({ length: 40 }, () => timeout),
  )
  await model.until(() => model.recordings()[0]?.state === 'completing', 40)
  const oldId = model.recordingAt(FILE).id
  model.drive.write(FILE, 'another night', SIZE + 1)
  await model.until(() => model.recordingAt(FILE).id !== oldId, 10)
  // The storage loses a part before the completion succeeds.
  model.service.sessions.get('ses_1')?.parts.clear()
  model.service.fate = () => ({ kind: 'answered' })
  await model.until(
    () =>
      model.journal.recordings.byId(oldId)?.state === 'gone' && model.recordingAt(FILE).state === 'processed',
    100,
  )
  expect(model.journal.recordings.byId(oldId)?.state).toBe('gone')
  await model.until(() => false, 30)
  expect([...model.service.sessions.values()].filter(({ status }) => status === 'uploading')).toEqual([])
})

test('correcting a clock that was two days ahead delays nothing', async () => {
  model = new ModelStation()
  model.wallShiftMs = 48 * 3_600_000
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => model.recordingAt(FILE).state === 'processing', 60)
  failCalls('retrieve', [timeout])
  await model.until(() => model.recordingAt(FILE).attempts > 0, 20)
  model.wallShiftMs = 0
  model.restart()
  for (let n = 0; n < 120 && model.recordingAt(FILE).state !== 'processed'; n += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(model.recordingAt(FILE).state).toBe('processed')
})

test('a copy does not wait forever for the original on an offline drive', async () => {
  model = new ModelStation()
  const copy = `${FOLDER}/copy.bin`
  model.drive.write(FILE, 'a night', SIZE)
  const { open } = model.drive.files
  // The drive of the original is offline: the file cannot be opened, but does not count as vanished.
  Object.assign(model.drive.files, {
    open: async (path: string) =>
      path === FILE ? { ok: false, failure: { kind: 'file-vanished' } } : open(path),
  })
  await model.until(() => model.recordingAt(FILE).state === 'uploading', 40)
  model.drive.write(copy, 'a night', SIZE)
  for (let n = 0; n < 200; n += 1) {
    await model.round()
    await model.pass(n < 20 ? 2_000 : 300_000)
    if (model.journal.recordings.currentByPath(copy)?.state === 'processed') break
  }
  expect(model.recordingAt(copy)).toMatchObject({ state: 'processed' })
})

test('a file that is renamed while the service refuses its name is retried at once', async () => {
  model = new ModelStation()
  const badPath = `${FOLDER}/bad.bin`
  model.drive.write(badPath, 'a night', 10)
  model.service.fate = (call) => {
    if (call !== 'create') return { kind: 'answered' }
    const [recording] = model.recordings()
    // During the call, the watcher finds the file under a new name.
    if (recording?.name === 'bad.bin')
      model.journal.recordings.move(
        recording,
        { path: `${FOLDER}/good.bin`, identity: recording.identity },
        model.settings.folders[0]!,
      )
    model.drive.rename(badPath, `${FOLDER}/good.bin`)
    model.service.fate = () => ({ kind: 'answered' })
    return {
      kind: 'refused',
      failure: {
        kind: 'rejected',
        origin: 'control',
        status: 400,
        code: 'parameter_invalid',
        message: 'no',
        param: 'filename',
        requestId: null,
      },
    }
  }
  expect(
    await model.until(
      () => model.recordings().every(({ state }) => state === 'processed') && model.recordings().length === 1,
      12,
    ),
  ).toBe(true)
  expect(model.service.completeSessions().map(({ request }) => request.filename)).toEqual(['good.bin'])
})

const settingsWithFolder = (folder: object) =>
  settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, ...folder }],
  })
const network: Failure = { kind: 'network', origin: 'control', connected: true, detail: 'simulated' }

test('drops the creation request if the file changes while Sluice reads its sidecar file', async () => {
  model = new ModelStation()
  model.settings = settingsWithFolder({ notes_sidecar: '.txt' })
  let release: (() => void) | null = null
  let reads = 0
  Object.assign(model.drive.files, {
    readText: () => {
      reads += 1
      return reads > 1
        ? Promise.resolve(done(null))
        : new Promise((resolve) => {
            release = () => resolve(done('notes'))
          })
    },
  })
  model.drive.write(FILE, 'take one', SIZE)
  expect(await model.until(() => release !== null)).toBe(true)
  model.drive.write(FILE, 'take two', SIZE)
  model.hint()
  const isNew = () =>
    model.recordingAt(FILE).state === 'ready' && model.recordingAt(FILE).sha256 === wholeDigest('take two')
  expect(await model.until(isNew)).toBe(true)
  failCalls('create', [network])
  ;(release as (() => void) | null)?.()
  expect(await model.until(() => model.recordingAt(FILE).state === 'processed')).toBe(true)
  expect(model.recordingAt(FILE).mismatches).toBe(0)
  expect([...model.service.sessions.values()].map(({ request }) => request.sha256)).toEqual([
    wholeDigest('take two'),
  ])
})

test('Sluice finds the session of an earlier request, although a placeholder in `notes` was unfilled for a while', async () => {
  model = new ModelStation()
  model.settings = settingsWithFolder({ notes: 'plain' })
  let isServiceDown = true
  model.service.fate = (call) => {
    if (!isServiceDown) return { kind: 'answered' }
    return { kind: call === 'create' ? 'lost' : 'refused', failure: network }
  }
  await model.round()
  model.drive.write(FILE, 'take one', SIZE)
  model.hint()
  expect(await model.until(() => model.service.sessions.size === 1)).toBe(true)
  await model.pass(25 * 3_600_000)
  model.settings = settingsWithFolder({ notes: 'recorded in {2}' })
  isServiceDown = false
  expect(await model.until(() => model.recordingAt(FILE).problem?.code === 'placeholder-unfilled')).toBe(true)
  model.settings = settingsWithFolder({ notes: 'plain' })
  model.journal.recordings.retryHeld(['settings'])
  expect(await model.until(() => model.recordingAt(FILE).state === 'processed')).toBe(true)
  expect(model.service.sessions.size).toBe(1)
})
