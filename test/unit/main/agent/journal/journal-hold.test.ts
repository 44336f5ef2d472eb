import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentCalls } from '../../../../../main/agent/calls/agent-calls.ts'
import { isBusy } from '../../../../../main/agent/journal/journal-hold.ts'
import { Jobs } from '../../../../../main/agent/stage/jobs.ts'
import { runStage } from '../../../../../main/agent/stage/stage.ts'
import { createTell, type Tell } from '../../../../../main/agent/stage/trouble.ts'
import { writeSoon } from '../../../../../main/agent/stage/write-soon.ts'
import { holdJournal, writeBefore } from '../../../../support/hold-journal.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

let temp: TempJournal
let told: string[]
let madeTell: Tell
beforeEach(() => {
  temp = openTempJournal(Date.now)
  told = []
  madeTell = createTell({
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
const warn = (message: string) => void told.push(message)
const tell = (error: unknown, where: string) => madeTell(error, where)

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
])(
  'a %s does not keep the loop waiting until another program lets go of the journal',
  async (_what, write) => {
    // It lets go by itself, after a second: whoever waits for it is not refused.
    const other = await writeBefore(temp.folder, "INSERT INTO station VALUES ('other', '1')")
    let refused = 0
    while (isRefused(() => void write(refused))) {
      refused += 1
      await turn()
    }
    await other.written
    expect(refused).toBeGreaterThan(1)
  },
)

test('it is known that the journal is held, until a write gets through', async () => {
  const held = await holdJournal(temp.folder)
  expect(temp.journal.isHeld).toBe(false)
  expect(isRefused(() => note('a'))).toBe(true)
  expect(temp.journal.isHeld).toBe(true)
  const free = temp.journal.whenFree(new AbortController().signal)
  await held.release()
  await free
  expect(temp.journal.isHeld).toBe(false)
  note('b')
  expect(hosts()).toEqual(['b'])
})

test('a write that fails for another reason shows that nobody holds the journal', async () => {
  const held = await holdJournal(temp.folder)
  expect(isRefused(() => note('a'))).toBe(true)
  await held.release()
  const bug = () =>
    temp.journal.transaction(() => {
      throw new Error('a bug')
    })
  expect(bug).toThrow('a bug')
  expect(temp.journal.isHeld).toBe(false)
})

test('waiting for the journal ends with its signal, however long it is held', async () => {
  const held = await holdJournal(temp.folder)
  const stop = new AbortController()
  const free = temp.journal.whenFree(stop.signal)
  stop.abort()
  await free
  await held.release()
})

test('a stage takes no step in vain while the journal is held, and the next once it is free', async () => {
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
    { tell, journal: temp.journal },
  )
  await expect.poll(() => told).toEqual(['the stage tries again: another program holds the journal'])
  // Hints come from everywhere, also while it waits.
  for (let n = 0; n < 20; n += 1) {
    stage.wakeup.hint()
    await turn()
  }
  expect(steps).toBe(1)
  await held.release()
  await written.promise
  expect([steps, told.length, hosts()]).toEqual([2, 1, ['of the stage']])
  await stage.stop()
})

test('a job that could not write is not begun again before the journal is free', async () => {
  const held = await holdJournal(temp.folder)
  let isFree = false
  const woken: boolean[] = []
  const again = Promise.withResolvers<void>()
  const jobs = new Jobs(
    {
      journal: temp.journal,
      clock: { wallMs: Date.now, monotonicMs: () => performance.now() },
      guard: (where, work) => {
        try {
          work()
        } catch (error) {
          tell(error, where)
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
  await expect.poll(() => told.length).toBeGreaterThan(0)
  for (let n = 0; n < 20; n += 1) await turn()
  expect([woken, jobs.ids]).toEqual([[], [1]])
  isFree = true
  await held.release()
  await again.promise
  expect([woken, jobs.ids]).toEqual([[true], []])
})

test('whoever meets it again and again logs it once for each time that the journal is held', async () => {
  const meet = () => {
    try {
      temp.journal.transaction(() => {})
    } catch (error) {
      tell(error, 'the clock')
    }
  }
  for (const times of [1, 2]) {
    const held = await holdJournal(temp.folder)
    for (let n = 0; n < 20; n += 1) meet()
    expect(told).toHaveLength(times)
    await held.release()
    meet()
  }
})

test('what nobody would ask for again is written once the journal is free', async () => {
  const held = await holdJournal(temp.folder)
  writeSoon({ journal: temp.journal, tell }, 'the settings', () => void note('later'))
  expect([hosts(), told]).toEqual([[], ['the settings tries again: another program holds the journal']])
  await held.release()
  await expect.poll(hosts).toEqual(['later'])
})

test('a click while a command writes is carried out after it', async () => {
  const call = createAgentCalls({ journal: temp.journal, tell, nowMs: Date.now } as never, {
    info: warn,
    warn,
    error: warn,
  })
  const other = await writeBefore(temp.folder, "INSERT INTO station VALUES ('other', '1')")
  expect(await call('pause', { until: null })).toMatchObject({ ok: true })
  await other.written
  expect(temp.journal.station.paused()).not.toBeNull()
})
