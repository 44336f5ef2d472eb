import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentCalls } from '../../../../../main/agent/calls/agent-calls.ts'
import { isBusy } from '../../../../../main/agent/journal/write-lock.ts'
import { Jobs } from '../../../../../main/agent/stage/jobs.ts'
import { runStage } from '../../../../../main/agent/stage/stage.ts'
import { createErrorReporter, type ReportError } from '../../../../../main/agent/stage/trouble.ts'
import { writeSoon } from '../../../../../main/agent/stage/write-soon.ts'
import { systemClock } from '../../../../../shared/clock/clock.ts'
import { holdJournal, writeBefore } from '../../../../support/hold-journal.ts'
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

const note = (host: string) => temp.journal.station.noteUploadHost(host)
const hosts = () => temp.journal.station.uploadHosts().map(({ host }) => host)
const turn = () => new Promise((resolve) => setImmediate(resolve))
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
  ['transaction', (n: number) => temp.journal.transaction(() => note(`host-${n}`))],
  ['statement', (n: number) => temp.journal.station.setSilences([{ n }] as never)],
])('a %s does not block the event loop while another program locks the journal', async (_what, write) => {
  // The lock is released after a second, so a blocking write would succeed and never be refused.
  const other = await writeBefore(temp.folder, "INSERT INTO station VALUES ('other', '1')")
  let refused = 0
  while (isRefused(() => void write(refused))) {
    refused += 1
    await turn()
  }
  await other.written
  expect(refused).toBeGreaterThan(1)
})

test('reports the journal as locked until a write succeeds', async () => {
  const held = await holdJournal(temp.folder)
  expect(temp.journal.isLocked).toBe(false)
  expect(isRefused(() => note('a'))).toBe(true)
  expect(temp.journal.isLocked).toBe(true)
  const free = temp.journal.whenFree(new AbortController().signal)
  await held.release()
  await free
  expect(temp.journal.isLocked).toBe(false)
  note('b')
  expect(hosts()).toEqual(['b'])
})

test('a write that fails for a different reason shows that the journal is free', async () => {
  const held = await holdJournal(temp.folder)
  expect(isRefused(() => note('a'))).toBe(true)
  await held.release()
  const bug = () =>
    temp.journal.transaction(() => {
      throw new Error('a bug')
    })
  expect(bug).toThrow('a bug')
  expect(temp.journal.isLocked).toBe(false)
})

test('waiting for the journal ends when its signal aborts', async () => {
  const held = await holdJournal(temp.folder)
  const stop = new AbortController()
  const free = temp.journal.whenFree(stop.signal)
  stop.abort()
  await free
  await held.release()
})

test('a stage does not step while the journal is locked, and continues once it is free', async () => {
  const held = await holdJournal(temp.folder)
  let steps = 0
  const written = Promise.withResolvers<void>()
  const stage = runStage(
    {
      name: 'the stage',
      takes: [],
      step: async () => {
        steps += 1
        note('of the stage')
        written.resolve()
        return 3_600_000
      },
    },
    { reportError, journal: temp.journal },
  )
  await expect.poll(() => logged).toEqual(['the stage retries: another program has locked the journal'])
  // Hints also arrive while the stage waits.
  for (let n = 0; n < 20; n += 1) {
    stage.wakeup.hint()
    await turn()
  }
  expect(steps).toBe(1)
  await held.release()
  await written.promise
  expect([steps, logged.length, hosts()]).toEqual([2, 1, ['of the stage']])
  await stage.stop()
})

test('a job that could not write restarts only after the journal is free', async () => {
  const held = await holdJournal(temp.folder)
  let isFree = false
  const woken: boolean[] = []
  const again = Promise.withResolvers<void>()
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
        woken.push(isFree)
        again.resolve()
      },
    },
    'uploading',
  )
  jobs.begin(1, 'the job', async () => void note('of the job'))
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  for (let n = 0; n < 20; n += 1) await turn()
  expect([woken, jobs.ids]).toEqual([[], [1]])
  isFree = true
  await held.release()
  await again.promise
  expect([woken, jobs.ids]).toEqual([[true], []])
})

test('logs a lock once, however many writes it refuses', async () => {
  const tryToWrite = () => {
    try {
      temp.journal.transaction(() => {})
    } catch (error) {
      reportError(error, 'the clock')
    }
  }
  for (const times of [1, 2]) {
    const held = await holdJournal(temp.folder)
    for (let n = 0; n < 20; n += 1) tryToWrite()
    expect(logged).toHaveLength(times)
    await held.release()
    tryToWrite()
  }
})

test('Sluice repeats a write whose caller does not retry, once the journal is free', async () => {
  const held = await holdJournal(temp.folder)
  writeSoon({ journal: temp.journal, reportError }, 'the settings', () => void note('later'))
  expect([hosts(), logged]).toEqual([[], ['the settings retries: another program has locked the journal']])
  await held.release()
  await expect.poll(hosts).toEqual(['later'])
})

test('an action in the window during a command’s write takes effect after the command', async () => {
  const call = createAgentCalls({ journal: temp.journal, reportError, nowMs: Date.now } as never, {
    info: warn,
    warn,
    error: warn,
  })
  const other = await writeBefore(temp.folder, "INSERT INTO station VALUES ('other', '1')")
  expect(await call('pause', { until: null })).toMatchObject({ ok: true })
  await other.written
  expect(temp.journal.station.paused()).not.toBeNull()
})
