import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentCalls } from '../../../../../main/agent/calls/agent-calls.ts'
import { isBusy } from '../../../../../main/agent/journal/write-lock.ts'
import { createErrorReporter, type ReportError } from '../../../../../main/agent/stage/error-reporter.ts'
import { Jobs } from '../../../../../main/agent/stage/jobs.ts'
import { PendingWrites } from '../../../../../main/agent/stage/pending-writes.ts'
import { runStage } from '../../../../../main/agent/stage/stage.ts'
import { systemClock } from '../../../../../shared/clock/clock.ts'
import { holdJournal, startSlowWrite } from '../../../../support/hold-journal.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
let logged: string[]
let reporter: ReportError
beforeEach(() => {
  temp = openTempJournal(Date.now)
  logged = []
  reporter = createErrorReporter({
    log: { info: warn, warn, error: warn },
    station: { raise: () => expect.unreachable() },
    endProcess: () => expect.unreachable(),
    journal: temp.journal,
  })
})
afterEach(() => temp.close())

const noteHost = (host: string) => temp.journal.station.noteUploadHost(host)
const storedHosts = () => temp.journal.station.uploadHosts().map(({ host }) => host)
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const warn = (message: string) => void logged.push(message)
const reportError = (error: unknown, where: string) => reporter(error, where)

const isRefused = (write: () => void): boolean => {
  try {
    write()
    return false
  } catch (error) {
    if (!isBusy(error)) throw error
    return true
  }
}

test.each([
  ['transaction', (n: number) => temp.journal.transaction(() => noteHost(`host-${n}`))],
  ['statement', (n: number) => temp.journal.station.setSilences([{ n }] as never)],
])('while the journal is locked, a %s fails soon instead of blocking the event loop', async (_, write) => {
  // The other program releases the lock after a second, so a blocking write would succeed and never be refused.
  const other = await startSlowWrite(temp.folder, "INSERT INTO station VALUES ('other', '1')")
  let refusals = 0
  while (isRefused(() => void write(refusals))) {
    refusals += 1
    await nextTurn()
  }
  await other.written
  expect(refusals).toBeGreaterThan(1)
})

test('reports the journal as locked until a write succeeds', async () => {
  const lock = await holdJournal(temp.folder)
  expect(temp.journal.isLocked).toBe(false)
  expect(isRefused(() => noteHost('a'))).toBe(true)
  expect(temp.journal.isLocked).toBe(true)
  const whenFree = temp.journal.whenFree(new AbortController().signal)
  await lock.release()
  await whenFree
  expect(temp.journal.isLocked).toBe(false)
  noteHost('b')
  expect(storedHosts()).toEqual(['b'])
})

test('after a write that fails for a different reason, the journal no longer counts as locked', async () => {
  const lock = await holdJournal(temp.folder)
  expect(isRefused(() => noteHost('a'))).toBe(true)
  await lock.release()
  const throwBug = () =>
    temp.journal.transaction(() => {
      throw new Error('a bug')
    })
  expect(throwBug).toThrow('a bug')
  expect(temp.journal.isLocked).toBe(false)
})

test('waiting for the journal ends when the caller aborts', async () => {
  const lock = await holdJournal(temp.folder)
  const stop = new AbortController()
  const whenFree = temp.journal.whenFree(stop.signal)
  stop.abort()
  await whenFree
  await lock.release()
})

test('a stage takes no further step while the journal is locked, and continues once the journal is free', async () => {
  const lock = await holdJournal(temp.folder)
  let steps = 0
  const hasWritten = Promise.withResolvers<void>()
  const stage = runStage(
    {
      name: 'the stage',
      states: [],
      step: async () => {
        steps += 1
        noteHost('of the stage')
        hasWritten.resolve()
        return 3_600_000
      },
    },
    { reportError, journal: temp.journal },
  )
  await expect
    .poll(() => logged)
    .toEqual(['the stage: cannot write now, because another program has locked the journal'])
  // Hints that arrive while the stage waits must not start a step.
  for (let n = 0; n < 20; n += 1) {
    stage.wakeup.hint()
    await nextTurn()
  }
  expect(steps).toBe(1)
  await lock.release()
  await hasWritten.promise
  expect([steps, logged.length, storedHosts()]).toEqual([2, 1, ['of the stage']])
  await stage.stop()
})

test('a job that could not write restarts only after the journal is free', async () => {
  const lock = await holdJournal(temp.folder)
  let isFree = false
  const wasFreeAtWake: boolean[] = []
  const restarted = Promise.withResolvers<void>()
  const jobs = new Jobs(
    {
      journal: temp.journal,
      clock: systemClock,
      guard: (where, work) => {
        try {
          work()
        } catch (error) {
          reportError(error, where)
        }
      },
      wake: () => {
        wasFreeAtWake.push(isFree)
        restarted.resolve()
      },
    },
    'uploading',
  )
  jobs.begin(1, 'the job', async () => void noteHost('of the job'))
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  for (let n = 0; n < 20; n += 1) await nextTurn()
  expect([wasFreeAtWake, jobs.ids]).toEqual([[], [1]])
  isFree = true
  await lock.release()
  await restarted.promise
  expect([wasFreeAtWake, jobs.ids]).toEqual([[true], []])
})

test('logs each lock once, even if it refuses many writes', async () => {
  const tryToWrite = () => {
    try {
      temp.journal.transaction(() => {})
    } catch (error) {
      reportError(error, 'the clock')
    }
  }
  for (const locks of [1, 2]) {
    const lock = await holdJournal(temp.folder)
    for (let n = 0; n < 20; n += 1) tryToWrite()
    expect(logged).toHaveLength(locks)
    await lock.release()
    tryToWrite()
  }
})

test('a write whose caller does not retry is repeated once the journal is free', async () => {
  const lock = await holdJournal(temp.folder)
  const writes = new PendingWrites({ journal: temp.journal, reportError })
  writes.write('the settings', () => void noteHost('later'))
  expect([storedHosts(), logged]).toEqual([
    [],
    ['the settings: cannot write now, because another program has locked the journal'],
  ])
  await lock.release()
  writes.retry()
  expect(storedHosts()).toEqual(['later'])
})

test('a newer write replaces a refused one of the same name', async () => {
  const lock = await holdJournal(temp.folder)
  const writes = new PendingWrites({ journal: temp.journal, reportError })
  writes.write('the settings', () => void noteHost('older'))
  await lock.release()
  writes.write('the settings', () => void noteHost('newer'))
  writes.retry()
  expect(storedHosts()).toEqual(['newer'])
})

test('an action in the window during a command’s write takes effect after the command', async () => {
  const call = createAgentCalls({ journal: temp.journal, reportError, nowMs: Date.now } as never, {
    info: warn,
    warn,
    error: warn,
  })
  const other = await startSlowWrite(temp.folder, "INSERT INTO station VALUES ('other', '1')")
  expect(await call('pause', { until: null })).toMatchObject({ ok: true })
  await other.written
  expect(temp.journal.station.currentPause()).not.toBeNull()
})
