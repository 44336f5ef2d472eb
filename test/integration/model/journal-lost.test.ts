import { afterEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { mapListedSessions } from '../../support/model/map-listed-sessions.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'
import { isLong } from '../../support/runs.ts'

const COUNT = 30
/** Enough sessions for several pages of the list. */
const OLDER_SESSIONS = isLong ? 100_000 : 2_000
const SIZE = 30_000_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const areAllProcessed = () => model.areAllProcessed(COUNT)

const expectSessions = (ids: readonly string[]) =>
  expect(new Set(model.recordings().map(({ sessionId }) => sessionId))).toEqual(new Set(ids))

const uploadAll = async (older: number) => {
  for (let n = 1; n <= COUNT; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `night ${n}`, SIZE)
  expect(await model.until(areAllProcessed, 200)).toBe(true)
  // Newer additions come first in the list, so these sessions are on its last page.
  const ownIds = [...model.service.sessions.keys()]
  model.service.addOlderSessions(older)
  return ownIds
}

test('uploads nothing twice after the journal is lost, even if the list has several pages of older sessions', async () => {
  model = new ModelStation()
  const ownIds = await uploadAll(OLDER_SESSIONS)
  model.loseJournal()
  const listsBefore = model.service.countCalls('list')
  expect(await model.until(areAllProcessed, 200)).toBe(true)
  expect(model.service.countCalls('create')).toBe(COUNT)
  expect(model.service.countCalls('part')).toBe(COUNT)
  expectSessions(ownIds)
  // All recordings share one search through the list. The follower reads a few more pages.
  expect(model.service.countCalls('list') - listsBefore).toBeLessThan(OLDER_SESSIONS / 500 + 100)
})

test('uploads nothing twice after the journal is lost if the list shows no SHA-256', async () => {
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: mapListedSessions(client, (session) => ({ ...session, sha256: null })),
    }),
  })
  const ownIds = await uploadAll(1_000)
  model.loseJournal()
  expect(await model.until(areAllProcessed, 200)).toBe(true)
  expect(model.service.countCalls('create')).toBe(COUNT)
  expectSessions(ownIds)
})

test.each([
  ['shows', (sha256: string | null) => sha256],
  ['does not show', () => null],
])(
  'uploads nothing twice after the journal is lost, even if listed sessions cannot be read at first (the list %s the SHA-256)',
  async (_, listedSha256) => {
    const denials = new Map<string, number>()
    let isBehind = false
    model = new ModelStation({
      wrapClient: (client) => ({
        ...client,
        listSessions: mapListedSessions(client, (session) => ({
          ...session,
          sha256: listedSha256(session.sha256),
        })),
        retrieveSession: async (id, signal) => {
          const times = (denials.get(id) ?? 0) + 1
          if (!isBehind || times > 2) return client.retrieveSession(id, signal)
          denials.set(id, times)
          return failed({ kind: 'not-found', message: 'not here yet', requestId: null })
        },
      }),
    })
    const ownIds = await uploadAll(0)
    model.loseJournal()
    isBehind = true
    expect(await model.until(areAllProcessed, 200)).toBe(true)
    expect(denials.size).toBe(COUNT)
    expect(model.service.countCalls('create')).toBe(COUNT)
    expect([...model.service.sessions.keys()].sort()).toEqual(ownIds.sort())
  },
)

test('Sluice reports a list whose pages form a circle, and creates no duplicate', async () => {
  let isCircular = false
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: async (filter, signal) => {
        const answer = await client.listSessions(filter, signal)
        if (!answer.ok || !isCircular) return answer
        const nextCursor = filter.cursor === '500' ? '1000' : '500'
        return { ok: true, value: { ...answer.value, value: { ...answer.value.value, nextCursor } } }
      },
    }),
  })
  const ownIds = await uploadAll(2_000)
  model.loseJournal()
  isCircular = true
  const callsBefore = model.service.calls.length
  const startedAtMs = model.nowMs
  await model.until(() => model.recordings().filter(({ problem }) => problem !== null).length >= COUNT, 200)
  expect(new Set(model.recordings().map(({ problem }) => problem?.code))).toEqual(new Set(['look-up-failed']))
  const seconds = (model.nowMs - startedAtMs) / 1000
  expect(model.service.calls.length - callsBefore).toBeLessThan(Math.max(100, seconds))
  expect(model.service.countCalls('create')).toBe(COUNT)
  isCircular = false
  expect(await model.until(areAllProcessed, 200)).toBe(true)
  expect(model.service.countCalls('create')).toBe(COUNT)
  expectSessions(ownIds)
})
