import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const HOUR_MS = 3_600_000
let model: ModelStation
let pollGate: Promise<void> | null = null
let isDone = false
let polls = 0

/** A service that keeps complete sessions in `processing` until the test sets `isDone`. */
const keepProcessing = (client: ServiceClient): ServiceClient => ({
  ...client,
  retrieveSession: async (id, signal) => {
    polls += 1
    const hasEnded = isDone
    const answer = await client.retrieveSession(id, signal)
    if (pollGate !== null) await pollGate
    if (!answer.ok || answer.value.value.status === 'uploading') return answer
    const status = hasEnded ? 'processed' : 'processing'
    return { ...answer, value: { ...answer.value, value: { ...answer.value.value, status } } }
  },
})

beforeEach(() => {
  model = new ModelStation({ wrapClient: keepProcessing })
  pollGate = null
  isDone = false
  polls = 0
})
afterEach(() => model.closeAndExpectNoBugs())

const setPollSeconds = (seconds: number) => {
  model.settings = settingsSchema.parse({ ...model.settings, follow: { poll_seconds: seconds } })
}
const setReceiver = (on = true) => {
  model.webhooks.board.listening = on ? { address: '127.0.0.1', port: 1 } : null
}
const stateOf = (name: string) => model.recordings().find(({ path }) => path.endsWith(name))?.state
const sessionOf = (name: string) => {
  const session = model.recordings().find(({ path }) => path.endsWith(name))?.sessionId
  if (session == null) throw new Error(`${name} has no session`)
  return session
}
const record = async (name: string) => {
  model.drive.write(`${FOLDER}/${name}`, name, 10)
  model.hint()
  expect(await model.until(() => stateOf(name) === 'processing')).toBe(true)
  // Waits until the first poll has been answered.
  await model.pass(3_000)
  await model.round()
  await model.round()
}
const storeEvent = (id: string, name: string, type = 'session.processed') =>
  model.journal.events.note({ id, type, sessionId: sessionOf(name) })

describe('an event', () => {
  test('makes the follower poll its session at once', async () => {
    setPollSeconds(3_600)
    await record('a')
    isDone = true
    await model.pass(60_000)
    await model.round()
    expect(stateOf('a')).toBe('processing')
    storeEvent('evt_1', 'a')
    await model.round()
    expect(stateOf('a')).toBe('processed')
  })

  test('that arrives during a poll triggers a second poll, because the first answer may be outdated', async () => {
    setPollSeconds(3_600)
    await record('a')
    const { promise, resolve: release } = Promise.withResolvers<void>()
    pollGate = promise
    await model.pass(HOUR_MS + 1)
    await model.round()
    isDone = true
    storeEvent('evt_1', 'a')
    release()
    pollGate = null
    await model.round()
    await model.round()
    expect(stateOf('a')).toBe('processed')
  })

  test('that was stored before a crash is handled after the restart', async () => {
    setPollSeconds(3_600)
    await record('a')
    isDone = true
    storeEvent('evt_1', 'a')
    model.restart()
    await model.round()
    await model.round()
    expect(stateOf('a')).toBe('processed')
  })

  test('only triggers a poll: the state comes from the service’s answer, not from the event', async () => {
    setPollSeconds(3_600)
    await record('a')
    isDone = true
    storeEvent('evt_2', 'a', 'session.failed')
    await model.round()
    expect(stateOf('a')).toBe('processed')
    storeEvent('evt_1', 'a', 'session.processed')
    storeEvent('evt_0', 'a', 'session.failed')
    await model.round()
    expect(stateOf('a')).toBe('processed')
  })
})

describe('polling', () => {
  const countPollsInAnHour = async () => {
    polls = 0
    for (let minute = 0; minute < 60; minute += 1) {
      await model.pass(60_000)
      await model.round()
    }
    return polls
  }

  test('slows down while events arrive, and speeds up once they stop', async () => {
    setPollSeconds(15)
    await record('a')
    await record('b')
    await countPollsInAnHour()
    const pollsWithoutEvents = await countPollsInAnHour()
    setReceiver()
    model.journal.events.note({ id: 'evt_1', type: 'session.processed', sessionId: 'ses_elsewhere' })
    await model.pass(6_000)
    const pollsWithEvents = await countPollsInAnHour()
    expect(pollsWithEvents).toBeLessThan(pollsWithoutEvents / 2)
    expect(pollsWithEvents).toBeGreaterThan(0)
    // After an hour without events, the follower no longer relies on them.
    await countPollsInAnHour()
    // An hour may have one poll more or fewer.
    expect(Math.abs((await countPollsInAnHour()) - pollsWithoutEvents)).toBeLessThanOrEqual(1)
  })

  test('speeds up when the user switches off the receiver', async () => {
    setPollSeconds(15)
    await record('a')
    setReceiver()
    model.journal.events.note({ id: 'evt_x', type: 'session.processed', sessionId: 'ses_elsewhere' })
    await record('b')
    await model.pass(6_000)
    for (let n = 0; n < 12; n += 1) {
      await model.pass(300_000)
      model.journal.events.note({ id: `evt_${n}`, type: 'session.processed', sessionId: 'ses_elsewhere' })
      await model.round()
    }
    isDone = true
    setReceiver(false)
    await model.round()
    await model.pass(16_000)
    await model.round()
    expect(stateOf('b')).toBe('processed')
  })
})
