import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CommitQueue } from '../../../../../main/agent/journal/commit-queue.ts'
import { readJournal } from '../../../../support/journal-file.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(Date.now)
})
afterEach(() => temp.close())

const hosts = () => temp.journal.station.uploadHosts().map(({ host }) => host)
const note = (name: string) => temp.journal.station.noteUploadHost(name)

/** Calls `committed` when the outermost transaction ends. */
const counting = (committed: () => void) => {
  let depth = 0
  return new CommitQueue({
    transaction: (work) => {
      depth += 1
      const value = work()
      depth -= 1
      if (depth === 0) committed()
      return value
    },
    savepoint: (work) => work(),
    isFatal: () => false,
    isBusy: () => false,
  })
}

test('writes requested in one turn share a transaction, and callers continue after its commit', async () => {
  const seen: string[] = []
  const queue = counting(() => seen.push('commit'))
  const asked = ['a', 'b', 'c'].map((name) =>
    queue.run(() => seen.push(`write ${name}`)).then(() => seen.push(`hear ${name}`)),
  )
  expect(seen).toEqual([])
  await Promise.all(asked)
  expect(seen).toEqual(['write a', 'write b', 'write c', 'commit', 'hear a', 'hear b', 'hear c'])
})

test('a thousand writes take several turns, so the event loop is free in between', async () => {
  const sizes: number[] = []
  let writes = 0
  const queue = counting(() => sizes.push(writes))
  await Promise.all(
    Array.from({ length: 1000 }, () =>
      queue.run(() => {
        writes += 1
      }),
    ),
  )
  expect(writes).toBe(1000)
  expect(sizes.length).toBeGreaterThan(10)
})

test('commits a lone write at once, and batches writes that follow a commit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    let nowMs = 1_000
    const commits: string[][] = []
    let written: string[] = []
    const queue = new CommitQueue({
      transaction: (work) => {
        const value = work()
        commits.push(written)
        written = []
        return value
      },
      savepoint: (work) => work(),
      isFatal: () => false,
      isBusy: () => false,
      throttle: { minIntervalMs: 8, monotonicMs: () => nowMs },
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const pass = async (ms: number) => {
      nowMs += ms
      await vi.advanceTimersByTimeAsync(ms)
      await turn()
    }
    const write = (name: string) => queue.run(() => written.push(name))
    const first = write('alone')
    await pass(0)
    expect(commits).toEqual([['alone']])
    await first
    const later = [write('soon after')]
    await pass(7)
    later.push(write('later'))
    await turn()
    expect(commits).toEqual([['alone']])
    await pass(1)
    expect(commits).toEqual([['alone'], ['soon after', 'later']])
    await Promise.all(later)
    await pass(8)
    const last = write('alone again')
    await pass(0)
    expect(commits.at(-1)).toEqual(['alone again'])
    await last
  } finally {
    vi.useRealTimers()
  }
})

test('a write that throws is rolled back alone and rejects', async () => {
  const [good, bad, other] = await Promise.allSettled([
    temp.journal.commit(() => note('one.invalid')),
    temp.journal.commit(() => {
      note('two.invalid')
      throw new Error('a bug')
    }),
    temp.journal.commit(() => note('three.invalid')),
  ])
  expect([good.status, bad.status, other.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(hosts().toSorted()).toEqual(['one.invalid', 'three.invalid'])
})

test('a full disk rejects the whole batch, and nothing is half written', async () => {
  const full = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
  const queue = new CommitQueue({
    transaction: (work) => temp.journal.transaction(work),
    savepoint: (work) => work(),
    isFatal: (error) => (error as { code?: string }).code === 'SQLITE_FULL',
    isBusy: () => false,
  })
  const asked = [queue.run(() => note('one.invalid')), queue.run(full)]
  const ended = await Promise.allSettled(asked)
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(hosts()).toEqual([])
})

/** A journal that another program locks for this many tries. */
const lockedQueue = (times: number) => {
  const seen: string[] = []
  let left = times
  const queue = new CommitQueue({
    transaction: (work) => {
      left -= 1
      if (left >= 0) throw new Error('database is locked')
      return work()
    },
    savepoint: (work) => work(),
    isFatal: () => false,
    isBusy: (error) => (error as Error).message === 'database is locked',
  })
  return { queue, seen }
}

test('writes refused by a lock are committed after its release, in their order', async () => {
  const { queue, seen } = lockedQueue(2)
  const first = queue.run(() => seen.push('first'))
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([first, queue.run(() => seen.push('second'))])
  expect(seen).toEqual(['first', 'second'])
})

test('writes are rejected in the end if the lock is never released', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const { queue, seen } = lockedQueue(Number.POSITIVE_INFINITY)
    const asked = expect(queue.run(() => seen.push('never'))).rejects.toThrow('database is locked')
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(600_000)
    await asked
    expect(seen).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('listeners learn of a change only after its commit', async () => {
  const read: unknown[] = []
  temp.journal.onChange(() =>
    read.push(readJournal(temp.folder, "SELECT 1 FROM station WHERE key = 'pause'")),
  )
  await temp.journal.commit(() => temp.journal.station.pause(null))
  expect(read).toEqual([[{ 1: 1 }]])
})

test('rolled-back notes are never logged; committed notes are logged once, after the commit', async () => {
  const logged: unknown[] = []
  temp.journal.onNote = (kind) => logged.push([kind, readJournal(temp.folder, 'SELECT kind FROM activity')])
  await Promise.allSettled([
    temp.journal.commit(() => temp.journal.activity.note({ kind: 'resumed' })),
    temp.journal.commit(() => {
      temp.journal.activity.note({ kind: 'paused', until: null })
      throw new Error('a bug')
    }),
  ])
  expect(logged).toEqual([['resumed', [{ kind: 'resumed' }]]])
})

test('the log lines of one commit are written in one batch, before any caller continues', async () => {
  const seen: string[] = []
  temp.journal.onNote = (kind) => seen.push(kind)
  temp.journal.batchLogs = (say) => {
    seen.push('begin')
    say()
    seen.push('end')
  }
  temp.journal.onChange(() => seen.push('changed'))
  await Promise.all([
    temp.journal.commit(() => temp.journal.station.pause(null)).then(() => seen.push('operations')),
    temp.journal.commit(() => temp.journal.station.resume()),
  ])
  expect(seen).toEqual(['begin', 'paused', 'resumed', 'end', 'changed', 'changed', 'operations'])
})

test('does not wait for a locked journal while the agent shuts down', async () => {
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
    const refused = expect(queue.run(() => {})).rejects.toThrow('locked')
    queue.stopRetryingSoon()
    await vi.advanceTimersByTimeAsync(2_500)
    await refused
    expect(tries).toBeLessThan(20)
  } finally {
    vi.useRealTimers()
  }
})
