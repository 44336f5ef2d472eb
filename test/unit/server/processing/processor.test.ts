import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../../server/data-folder.ts'
import { systemRandom } from '../../../../server/ids.ts'
import {
  type InspectFile,
  InspectionKilledError,
  inspectHere,
} from '../../../../server/processing/inspect.ts'
import { inspectionRetryMs, Processor } from '../../../../server/processing/processor.ts'
import { type ByteStore, MissingBytesError } from '../../../../server/storage/byte-store.ts'
import { PartFiles } from '../../../../server/storage/part-files.ts'
import { orgs } from '../../../../server/store/orgs.ts'
import { parts } from '../../../../server/store/parts.ts'
import { sessions } from '../../../../server/store/sessions.ts'
import { createSqliteStore } from '../../../../server/store/sqlite/sqlite-store.ts'

type Options = {
  readonly inspectFile?: InspectFile
  /** Called before each `write` of the processor, but not before `writeOne`. */
  readonly beforeWrite?: () => void | Promise<void>
  readonly canFinish?: (sessionId: string) => boolean
  readonly sessionIds?: readonly string[]
  /** The session that another instance is processing. */
  readonly claimedId?: string
}

/** Starts a processor with complete sessions. `error` returns the error when the bytes of `ses_1` are opened. */
const startProcessor = async (
  error: () => Error | null,
  {
    inspectFile = inspectHere,
    beforeWrite = () => {},
    canFinish = () => true,
    sessionIds = ['ses_1', 'ses_2'],
    claimedId,
  }: Options = {},
) => {
  const root = await mkdtemp(path.join(tmpdir(), 'processor-'))
  const folder = await openDataFolder(root, 'server')
  const store = createSqliteStore(folder.db)
  const files = await PartFiles.open(root, systemRandom, null)
  const bytes: ByteStore = {
    newName: (sessionId, number) => files.newName(sessionId, number),
    receive: (name, body, expected) => files.receive(name, body, expected),
    put: (name, content) => files.put(name, content),
    chunks: (name) => files.chunks(name),
    remove: (name) => files.remove(name),
    names: () => files.names(),
    async open(name) {
      const problem = name.startsWith('ses_1-') ? error() : null
      if (problem !== null) throw problem
      return files.open(name)
    },
  }
  let nowMs = 1_000_000
  let jump = () => {}
  const clock = {
    now: () => nowMs,
    onJump: (listener: () => void) => {
      jump = listener
    },
  }
  const processor = new Processor({
    store: {
      ...store,
      async write(work) {
        await beforeWrite()
        return store.write(work)
      },
    },
    bytes,
    clock,
    log: () => {},
    inspectFile,
    *onFinished({ id }) {
      const session = yield* sessions.get(id)
      if (session !== undefined && !canFinish(id)) throw new Error('out of range')
      return false
    },
    afterFinished: () => {},
  })
  onTestFinished(async () => {
    await processor.stop()
    await store.close()
    await folder.close()
    await rm(root, { recursive: true })
  })
  await store.write(() => orgs.add('org_1', 'Lab'))
  if (claimedId !== undefined) await store.claims.take(`process ${claimedId}`)
  for (const id of sessionIds) {
    const file = files.newName(id, 1)
    await files.put(file, Buffer.from('text'))
    const described = { id, org_id: 'org_1', site: 'hall', device: null, filename: 'a.txt', notes: null }
    await store.write(function* () {
      yield* sessions.insert({ ...described, bytes: 4, part_size: 4, sha256: '', created_at: 1 })
      yield* parts.put({ session_id: id, number: 1, file, bytes: 4, sha256: '', etag: '' })
      yield* sessions.startProcessing(id, nowMs)
    })
  }
  processor.wake()
  return {
    status: async (id: string) => (await store.read(sessions.get(id)))?.status,
    dueAt: async (id: string) => (await store.read(sessions.get(id)))?.processing_due_at,
    issues: async (id: string) => (await store.read(sessions.get(id)))?.issues,
    async openAttempts() {
      const rows = await Promise.all(sessionIds.map((id) => store.read(sessions.get(id))))
      return rows.filter((row) => row?.status === 'processing' && row.inspection_attempts > 0)
    },
    now: () => nowMs,
    wait(ms: number) {
      nowMs += ms
      jump()
    },
  }
}

test('a recording waits while the storage is down, and neither fails nor delays other recordings', async () => {
  let isDown = true
  const processor = await startProcessor(() => (isDown ? new Error('connect ECONNREFUSED') : null))
  await expect.poll(() => processor.status('ses_2')).toBe('processed')
  expect(await processor.status('ses_1')).toBe('processing')
  isDown = false
  processor.wait(inspectionRetryMs)
  await expect.poll(() => processor.status('ses_1')).toBe('processed')
})

test('a recording fails if its bytes are gone', async () => {
  const processor = await startProcessor(() => new MissingBytesError())
  await expect.poll(() => processor.status('ses_1')).toBe('failed')
})

test('an outage of the storage does not count as a failed inspection', async () => {
  let outages = 5
  const processor = await startProcessor(() => {
    outages -= 1
    return outages < 0 ? null : new Error('connect ECONNREFUSED')
  })
  for (let left = 4; left >= 0; left -= 1) {
    await expect.poll(() => outages).toBe(left)
    await expect.poll(() => processor.dueAt('ses_1')).toBe(processor.now() + inspectionRetryMs)
    processor.wait(inspectionRetryMs)
  }
  await expect.poll(() => processor.status('ses_1')).toBe('processed')
  expect(await processor.issues('ses_1')).toBe('[]')
})

test('after an outage of the database, no recording failed, and no recording was inspected twice', async () => {
  let inspections = 0
  let failuresLeft = 3
  const processor = await startProcessor(() => null, {
    async inspectFile(...args) {
      inspections += 1
      return inspectHere(...args)
    },
    beforeWrite() {
      if (inspections !== 1 || failuresLeft === 0) return
      failuresLeft -= 1
      throw new Error('connect ECONNREFUSED')
    },
  })
  for (const sessionId of ['ses_1', 'ses_2']) {
    await expect.poll(() => processor.status(sessionId)).toBe('processed')
    expect(await processor.issues(sessionId)).toBe('[]')
  }
  expect(inspections).toBe(2)
})

test('a session whose result cannot be stored does not stop the others', async () => {
  const processor = await startProcessor(() => null, { canFinish: (session) => session !== 'ses_1' })
  await expect.poll(() => processor.status('ses_2')).toBe('processed')
  expect(await processor.status('ses_1')).toBe('processing')
})

test('a crash during an inspection counts as an attempt of the inspected recording only', async () => {
  const open: unknown[] = []
  const slowDatabase = Promise.withResolvers<void>()
  const processor = await startProcessor(() => null, {
    async inspectFile(...args) {
      open.push(await processor.openAttempts())
      return inspectHere(...args)
    },
    beforeWrite: () => slowDatabase.promise,
  })
  // The attempt of `ses_2` has begun, but its inspection waits until the result of `ses_1` is stored.
  await expect.poll(() => processor.openAttempts()).toHaveLength(2)
  slowDatabase.resolve()
  await expect.poll(() => processor.status('ses_2')).toBe('processed')
  expect(open).toMatchObject([[{ id: 'ses_1' }], [{ id: 'ses_2' }]])
})

test('an inspection waits for the previous result, even if another instance processes a session between the two', async () => {
  const open: unknown[] = []
  const slowDatabase = Promise.withResolvers<void>()
  const processor = await startProcessor(() => null, {
    sessionIds: ['ses_1', 'ses_2', 'ses_3'],
    claimedId: 'ses_2',
    async inspectFile(...args) {
      open.push(await processor.openAttempts())
      return inspectHere(...args)
    },
    beforeWrite: () => slowDatabase.promise,
  })
  await expect.poll(() => processor.openAttempts()).toHaveLength(2)
  slowDatabase.resolve()
  await expect.poll(() => processor.status('ses_3')).toBe('processed')
  expect(open).toMatchObject([[{ id: 'ses_1' }], [{ id: 'ses_3' }]])
})

test('if its inspection is killed, a recording is inspected once more', async () => {
  let inspections = 0
  const processor = await startProcessor(() => null, {
    async inspectFile() {
      inspections += 1
      throw new InspectionKilledError()
    },
  })
  for (const count of [2, 4]) {
    await expect.poll(() => inspections).toBe(count)
    await expect.poll(() => processor.dueAt('ses_2')).toBe(processor.now() + inspectionRetryMs)
    expect(await processor.status('ses_1')).toBe('processing')
    processor.wait(inspectionRetryMs)
  }
  await expect.poll(() => processor.status('ses_1')).toBe('processed')
  expect(JSON.parse((await processor.issues('ses_1'))!)).toMatchObject([{ code: 'inspection_incomplete' }])
  expect(inspections).toBe(4)
})
