import { afterEach, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import { DELETE, TakeStation } from '../../support/model/take-station.ts'

/** If a processed session seems to have failed, Sluice believes it only after a second answer, hours later. */

const HOUR_MS = 3_600_000
const NAMES = ['bag/a.bin', 'bag/b.bin'] as const
const [FIRST] = NAMES

let model: TakeStation
afterEach(() => model.closeAndExpectNoBugs())

const sessionOf = (name: string) => model.service.sessions.get(model.at(name).sessionId ?? '')!

type Answers = 'failed' | 'processed' | 'processing' | 'different content'
const answerWith = (name: string, answer: Answers): void => {
  const session = sessionOf(name)
  if (answer === 'different content') Object.assign(session.request, { sha256: 'cd'.repeat(32) })
  else Object.assign(session, { status: answer, completedAtMs: model.nowMs + HOUR_MS })
}

/** A take with two processed files. Their removal is due when the test calls `configure(DELETE)`. */
const processTake = async (): Promise<void> => {
  model = new TakeStation()
  for (const name of NAMES) model.write(name)
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
}

const isDenied = (name: string): boolean => model.at(name).problem?.code === 'session-denied'

test.each(['failed', 'different content'] as const)(
  'one answer "%s" does not make a processed recording unsafe',
  async (answer) => {
    await processTake()
    const { request } = sessionOf(FIRST)
    const before = { ...request }
    answerWith(FIRST, answer)
    model.configure(DELETE)
    await model.round()
    await model.round()
    expect(model.service.countCalls('retrieve')).toBeGreaterThan(1)
    expect(NAMES.map((name) => model.at(name).state)).toEqual(['processed', 'processed'])
    answerWith(FIRST, 'processed')
    Object.assign(request, before)
    expect(await model.until(() => model.names().length === 0)).toBe(true)
  },
)

test.each([
  ['processing again', () => answerWith(FIRST, 'processing')],
  ['not found', () => model.service.sessions.delete(model.at(FIRST).sessionId!)],
] as const)(
  'if a session fails after it was %s, Sluice waits hours before it believes the failure',
  async (_, change) => {
    await processTake()
    const session = sessionOf(FIRST)
    change()
    model.configure(DELETE)
    await model.round()
    expect(model.journal.removals.of(model.at(FIRST).id)?.waits).toBe('not-processed')
    model.service.sessions.set(session.id, session)
    answerWith(FIRST, 'failed')
    const failedFromMs = model.nowMs
    const polls = model.service.countCalls('retrieve')
    expect(await model.until(() => isDenied(FIRST))).toBe(true)
    expect(model.service.countCalls('retrieve') - polls).toBeGreaterThan(1)
    expect(model.nowMs - failedFromMs).toBeGreaterThan(4 * HOUR_MS)
    expect(model.names()).toHaveLength(2)
  },
)

test('new removal rules do not make Sluice believe a failure earlier', async () => {
  await processTake()
  answerWith(FIRST, 'failed')
  model.configure(DELETE)
  await model.round()
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.at(FIRST).state).toBe('processed')
})

test('a failure of an earlier session does not count for the new session', async () => {
  await processTake()
  const rules = { ...DELETE, take: 'file' }
  answerWith(FIRST, 'failed')
  model.configure(rules)
  expect(await model.until(() => isDenied(FIRST))).toBe(true)
  retry(model.journal, model.at(FIRST))
  model.configure({ take: 'file' })
  expect(await model.until(() => model.at(FIRST).state === 'processed')).toBe(true)
  answerWith(FIRST, 'failed')
  await model.pass(7 * HOUR_MS)
  model.configure(rules)
  const polls = model.service.countCalls('retrieve')
  await model.round()
  expect(model.service.countCalls('retrieve')).toBeGreaterThan(polls)
  expect(model.at(FIRST).state).toBe('processed')
  answerWith(FIRST, 'processed')
  expect(await model.until(() => model.names().length === 0)).toBe(true)
})

test('reports a take whose sessions have all failed', async () => {
  await processTake()
  for (const name of NAMES) answerWith(name, 'failed')
  model.configure(DELETE)
  expect(await model.until(() => NAMES.some(isDenied))).toBe(true)
  expect(model.names()).toHaveLength(2)
})

test('a session that is missing in short runs on two nights is not safe, and the file stays', async () => {
  await processTake()
  model.service.sessions.delete(model.at(FIRST).sessionId!)
  model.configure(DELETE)
  await model.round()
  expect(model.at(FIRST).state).toBe('processed')
  await model.pass(24 * HOUR_MS)
  model.restart()
  await model.round()
  expect(model.at(FIRST)).toMatchObject({ state: 'failed', problem: { code: 'session-deleted' } })
  expect(model.names()).toHaveLength(2)
})

test('a session that is missing only on one night is safe again on the next', async () => {
  await processTake()
  const session = sessionOf(FIRST)
  model.service.sessions.delete(session.id)
  model.configure(DELETE)
  await model.round()
  model.service.sessions.set(session.id, session)
  await model.pass(24 * HOUR_MS)
  model.restart()
  expect(await model.until(() => model.names().length === 0)).toBe(true)
})
