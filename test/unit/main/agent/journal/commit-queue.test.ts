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

/** Tells when the outermost transaction ends. */
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
    isFatal: () => false,
    isBusy: () => false,
  })
}

test('writes that are asked for in one turn are one transaction, and nobody hears before its commit', async () => {
  const seen: string[] = []
  const queue = counting(() => seen.push('commit'))
  const asked = ['a', 'b', 'c'].map((name) =>
    queue.run(() => seen.push(`write ${name}`)).then(() => seen.push(`hear ${name}`)),
  )
  expect(seen).toEqual([])
  await Promise.all(asked)
  expect(seen).toEqual(['write a', 'write b', 'write c', 'commit', 'hear a', 'hear b', 'hear c'])
})

test('a thousand writes are taken in several turns, so that the loop is free in between', async () => {
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

test('who comes alone is written at once; who follows upon a commit is written with those that come meanwhile', async () => {
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
      isFatal: () => false,
      isBusy: () => false,
      throttle: { minGapMs: 8, monotonicMs: () => nowMs },
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const pass = async (ms: number) => {
      nowMs += ms
      await vi.advanceTimersByTimeAsync(ms)
      await turn()
    }
    const ask = (name: string) => queue.run(() => written.push(name))
    const first = ask('alone')
    await pass(0)
    expect(commits).toEqual([['alone']])
    await first
    const later = [ask('soon after')]
    await pass(7)
    later.push(ask('later'))
    await turn()
    expect(commits).toEqual([['alone']])
    await pass(1)
    expect(commits).toEqual([['alone'], ['soon after', 'later']])
    await Promise.all(later)
    await pass(8)
    const last = ask('alone again')
    await pass(0)
    expect(commits.at(-1)).toEqual(['alone again'])
    await last
  } finally {
    vi.useRealTimers()
  }
})

test('one that throws is undone alone, and hears it', async () => {
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

test('a disk that is full refuses all of them, and none is half written', async () => {
  const full = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
  const queue = new CommitQueue({
    transaction: (work) => temp.journal.transaction(work),
    isFatal: (error) => (error as { code?: string }).code === 'SQLITE_FULL',
    isBusy: () => false,
  })
  const asked = [queue.run(() => note('one.invalid')), queue.run(full)]
  const ended = await Promise.allSettled(asked)
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(hosts()).toEqual([])
})

/** Held by another program for so many tries. */
const held = (times: number) => {
  const seen: string[] = []
  let left = times
  const queue = new CommitQueue({
    transaction: (work) => {
      left -= 1
      if (left >= 0) throw new Error('database is locked')
      return work()
    },
    isFatal: () => false,
    isBusy: (error) => (error as Error).message === 'database is locked',
  })
  return { queue, seen }
}

test('what another program holds up is written once it lets go, in the order in which it was asked for', async () => {
  const { queue, seen } = held(2)
  const first = queue.run(() => seen.push('first'))
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([first, queue.run(() => seen.push('second'))])
  expect(seen).toEqual(['first', 'second'])
})

test('a journal that is held for good refuses in the end, so that nobody waits for ever', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const { queue, seen } = held(Number.POSITIVE_INFINITY)
    const asked = expect(queue.run(() => seen.push('never'))).rejects.toThrow('database is locked')
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(600_000)
    await asked
    expect(seen).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('whoever listens hears of no change before others can read it', async () => {
  const read: unknown[] = []
  temp.journal.onChange(() =>
    read.push(readJournal(temp.folder, "SELECT 1 FROM station WHERE key = 'pause'")),
  )
  await temp.journal.commit(() => temp.journal.station.pause(null))
  expect(read).toEqual([[{ 1: 1 }]])
})

test('what was undone is said to nobody, and what was committed is said once, when others can read it', async () => {
  const said: unknown[] = []
  temp.journal.onNote = (kind) => said.push([kind, readJournal(temp.folder, 'SELECT kind FROM activity')])
  await Promise.allSettled([
    temp.journal.commit(() => temp.journal.activity.note({ kind: 'resumed' })),
    temp.journal.commit(() => {
      temp.journal.activity.note({ kind: 'paused', until: null })
      throw new Error('a bug')
    }),
  ])
  expect(said).toEqual([['resumed', [{ kind: 'resumed' }]]])
})

test('all that one commit has to say is said in one go, before anybody acts on it', async () => {
  const seen: string[] = []
  temp.journal.onNote = (kind) => seen.push(kind)
  temp.journal.together = (say) => {
    seen.push('begin')
    say()
    seen.push('end')
  }
  temp.journal.onChange(() => seen.push('changed'))
  await Promise.all([
    temp.journal.commit(() => temp.journal.station.pause(null)).then(() => seen.push('acts')),
    temp.journal.commit(() => temp.journal.station.resume()),
  ])
  expect(seen).toEqual(['begin', 'paused', 'resumed', 'end', 'changed', 'changed', 'acts'])
})
