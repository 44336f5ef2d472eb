import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CommitQueue } from '../../../../../main/agent/journal/commit-queue.ts'
import { readJournal } from '../../../../support/journal-file.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(Date.now)
})
afterEach(() => temp.close())

const storedHosts = () => temp.journal.station.uploadHosts().map(({ host }) => host)
const noteHost = (name: string) => temp.journal.station.noteUploadHost(name)

/** Creates a queue that calls `onCommit` when the outermost transaction ends. */
const createQueue = (onCommit: () => void) => {
  let depth = 0
  return new CommitQueue({
    transaction: (work) => {
      depth += 1
      const value = work()
      depth -= 1
      if (depth === 0) onCommit()
      return value
    },
    savepoint: (work) => work(),
    isFatal: () => false,
    isBusy: () => false,
  })
}

test('writes requested in one turn share a transaction, and callers continue after its commit', async () => {
  const steps: string[] = []
  const queue = createQueue(() => steps.push('commit'))
  const results = ['a', 'b', 'c'].map((name) =>
    queue.run(() => steps.push(`write ${name}`)).then(() => steps.push(`continue ${name}`)),
  )
  expect(steps).toEqual([])
  await Promise.all(results)
  expect(steps).toEqual(['write a', 'write b', 'write c', 'commit', 'continue a', 'continue b', 'continue c'])
})

test('a thousand writes take several turns, so the event loop is free in between', async () => {
  const writesAtCommit: number[] = []
  let writes = 0
  const queue = createQueue(() => writesAtCommit.push(writes))
  await Promise.all(
    Array.from({ length: 1000 }, () =>
      queue.run(() => {
        writes += 1
      }),
    ),
  )
  expect(writes).toBe(1000)
  expect(writesAtCommit.length).toBeGreaterThan(10)
})

test('commits a lone write at once, and batches writes that soon follow a commit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    let nowMs = 1_000
    const commits: string[][] = []
    let pendingNames: string[] = []
    const queue = new CommitQueue({
      transaction: (work) => {
        const value = work()
        commits.push(pendingNames)
        pendingNames = []
        return value
      },
      savepoint: (work) => work(),
      isFatal: () => false,
      isBusy: () => false,
      throttle: { minIntervalMs: 8, monotonicMs: () => nowMs },
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const advance = async (ms: number) => {
      nowMs += ms
      await vi.advanceTimersByTimeAsync(ms)
      await turn()
    }
    const write = (name: string) => queue.run(() => pendingNames.push(name))
    const first = write('alone')
    await advance(0)
    expect(commits).toEqual([['alone']])
    await first
    const laterWrites = [write('soon after')]
    await advance(7)
    laterWrites.push(write('later'))
    await turn()
    expect(commits).toEqual([['alone']])
    await advance(1)
    expect(commits).toEqual([['alone'], ['soon after', 'later']])
    await Promise.all(laterWrites)
    await advance(8)
    const last = write('alone again')
    await advance(0)
    expect(commits.at(-1)).toEqual(['alone again'])
    await last
  } finally {
    vi.useRealTimers()
  }
})

test('a write that throws is rolled back alone, and only its promise rejects', async () => {
  const [firstResult, failedResult, lastResult] = await Promise.allSettled([
    temp.journal.commit(() => noteHost('one.invalid')),
    temp.journal.commit(() => {
      noteHost('two.invalid')
      throw new Error('a bug')
    }),
    temp.journal.commit(() => noteHost('three.invalid')),
  ])
  expect([firstResult.status, failedResult.status, lastResult.status]).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(storedHosts().toSorted()).toEqual(['one.invalid', 'three.invalid'])
})

test('on a full disk the whole batch is rejected, and none of it is stored', async () => {
  const failWithFullDisk = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
  const queue = new CommitQueue({
    transaction: (work) => temp.journal.transaction(work),
    savepoint: (work) => work(),
    isFatal: (error) => (error as { code?: string }).code === 'SQLITE_FULL',
    isBusy: () => false,
  })
  const results = [queue.run(() => noteHost('one.invalid')), queue.run(failWithFullDisk)]
  const settled = await Promise.allSettled(results)
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(storedHosts()).toEqual([])
})

/** A queue whose first transactions fail, because another program has locked the journal. */
const lockedQueue = (failures: number) => {
  const steps: string[] = []
  let remainingFailures = failures
  const queue = new CommitQueue({
    transaction: (work) => {
      remainingFailures -= 1
      if (remainingFailures >= 0) throw new Error('database is locked')
      return work()
    },
    savepoint: (work) => work(),
    isFatal: () => false,
    isBusy: (error) => (error as Error).message === 'database is locked',
  })
  return { queue, steps }
}

test('writes that fail because of a lock are committed in order once the lock is released', async () => {
  const { queue, steps } = lockedQueue(2)
  const first = queue.run(() => steps.push('first'))
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([first, queue.run(() => steps.push('second'))])
  expect(steps).toEqual(['first', 'second'])
})

test('writes are rejected after a time limit if the lock is never released', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const { queue, steps } = lockedQueue(Number.POSITIVE_INFINITY)
    const results = expect(queue.run(() => steps.push('never'))).rejects.toThrow('database is locked')
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(600_000)
    await results
    expect(steps).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('listeners are called only after the commit of a change', async () => {
  const rowsRead: unknown[] = []
  temp.journal.onChange(() =>
    rowsRead.push(readJournal(temp.folder, "SELECT 1 FROM station WHERE key = 'pause'")),
  )
  await temp.journal.commit(() => temp.journal.station.pause(null))
  expect(rowsRead).toEqual([[{ 1: 1 }]])
})

test('rolled-back notes are never logged; committed notes are logged once, after the commit', async () => {
  const logEntries: unknown[] = []
  temp.journal.onNote = (kind) =>
    logEntries.push([kind, readJournal(temp.folder, 'SELECT kind FROM activity')])
  await Promise.allSettled([
    temp.journal.commit(() => temp.journal.activity.note({ kind: 'resumed' })),
    temp.journal.commit(() => {
      temp.journal.activity.note({ kind: 'paused', until: null })
      throw new Error('a bug')
    }),
  ])
  expect(logEntries).toEqual([['resumed', [{ kind: 'resumed' }]]])
})

test('the log lines of one commit are written in one batch, before any caller continues', async () => {
  const steps: string[] = []
  temp.journal.onNote = (kind) => steps.push(kind)
  temp.journal.batchLogs = (logAll) => {
    steps.push('begin')
    logAll()
    steps.push('end')
  }
  temp.journal.onChange(() => steps.push('changed'))
  await Promise.all([
    temp.journal.commit(() => temp.journal.station.pause(null)).then(() => steps.push('caller')),
    temp.journal.commit(() => temp.journal.station.resume()),
  ])
  expect(steps).toEqual(['begin', 'paused', 'resumed', 'end', 'changed', 'changed', 'caller'])
})

test('gives up on a locked journal after two seconds while the agent shuts down', async () => {
  vi.useFakeTimers()
  try {
    let tries = 0
    const queue = new CommitQueue({
      transaction: () => {
        tries += 1
        throw new Error('locked')
      },
      savepoint: (work) => work(),
      isFatal: () => false,
      isBusy: () => true,
    })
    const rejection = expect(queue.run(() => {})).rejects.toThrow('locked')
    queue.limitRetriesForShutdown()
    await vi.advanceTimersByTimeAsync(2_500)
    await rejection
    expect(tries).toBeLessThan(20)
  } finally {
    vi.useRealTimers()
  }
})
