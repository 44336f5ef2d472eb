import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { LONGEST_PROBE_DELAY_MS } from '../../main/agent/domain/retry-limits.ts'
import type { Recording } from '../../main/agent/journal/journal.ts'
import type { ServiceClient } from '../../main/agent/ports/service.ts'
import { SessionFinder } from '../../main/agent/sessions/find-session.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { isLong } from '../support/runs.ts'
import { answer, clientFor, errorAnswer, httpServer, never } from './service-support.ts'

/** Sluice searches for sessions (§4.5) over real HTTP, at services with long, circular or broken lists. */

const SESSION_COUNT = isLong ? 100_000 : 5_000
const sha256Of = (n: number) => createHash('sha256').update(`content ${n}`).digest('hex')

const session = (n: number) => ({
  id: `ses_${n}`,
  object: 'session',
  status: 'processed',
  site: 'lab',
  filename: `take-${n}.bin`,
  bytes: 1000,
  sha256: sha256Of(n),
  created_at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
})

const recordingOf = (n: number, overrides: Partial<Recording> = {}): Recording =>
  ({
    site: 'lab',
    name: `take-${n}.bin`,
    sha256: sha256Of(n),
    identity: { sizeBytes: 1000 },
    createKey: null,
    createKeyAtMs: null,
    createKeyServiceMs: null,
    createBody: null,
    ...overrides,
  }) as Recording

const finderFor = (
  service: ServiceClient,
  clock = systemClock,
  oldestMtimeMs: (() => number) | null = null,
) => {
  const finder = new SessionFinder({ clock, random: () => 0.5 })
  const find = (recording: Recording, isLost = false) =>
    finder.find(recording, { service, isFree: () => true, isLost: () => isLost, oldestMtimeMs }, never())
  return { find, service }
}

const serveList = async (page: (query: URLSearchParams) => object) => {
  const queries: URLSearchParams[] = []
  const base = await httpServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://here').searchParams
    queries.push(query)
    answer(response, 200, { object: 'list', ...page(query) })
  })
  return { queries, ...finderFor(clientFor(base)) }
}

/** Serves a long list, newest first. Generates each page on request. */
const longList = () =>
  serveList((query) => {
    const from = Number(query.get('cursor') ?? 0)
    const limit = Number(query.get('limit'))
    const data = Array.from({ length: Math.min(limit, SESSION_COUNT - from) }, (_, n) =>
      session(SESSION_COUNT - from - n - 1),
    )
    const hasMore = from + limit < SESSION_COUNT
    return { data, has_more: hasMore, ...(hasMore ? { next_cursor: String(from + limit) } : {}) }
  })

test('after the loss of a journal, one walk over the list finds the session of every recording', async () => {
  const { queries, find } = await longList()
  const numbers = [0, 1, 499, 500, SESSION_COUNT / 2, SESSION_COUNT - 1]
  const results = await Promise.all(numbers.map((n) => find(recordingOf(n))))
  expect(results).toEqual(numbers.map((n) => ({ ok: true, value: { ids: [`ses_${n}`], unknown: null } })))
  expect(await find(recordingOf(SESSION_COUNT + 1))).toEqual({ ok: true, value: { ids: [], unknown: null } })
  expect(queries).toHaveLength(SESSION_COUNT / 500)
  expect(new Set(queries.map((query) => query.get('site')))).toEqual(new Set(['lab']))
}, 120_000)

test('the search begins more than a day before the create request, because clocks may be wrong', async () => {
  const { queries, find, service } = await serveList(() => ({ data: [], has_more: false }))
  await service.listSessions({}, never())
  const requestedAtMs = Date.now() - 3_600_000
  expect(await find(recordingOf(1, { createKeyAtMs: 0, createKeyServiceMs: requestedAtMs }))).toEqual({
    ok: true,
    value: { ids: [], unknown: null },
  })
  const fromMs = Date.parse(queries.at(-1)?.get('created[gte]') ?? '')
  expect(requestedAtMs - fromMs).toBeGreaterThan(24 * 3_600_000)
  expect(requestedAtMs - fromMs).toBeLessThan(48 * 3_600_000)
})

test('the search reads older sessions too once the service shows that its clock is behind', async () => {
  const DAY_MS = 86_400_000
  const createdAtMs = Date.now() - 3 * DAY_MS
  const base = await httpServer((request, response) => {
    const fromMs = Date.parse(
      new URL(request.url ?? '', 'http://here').searchParams.get('created[gte]') ?? '',
    )
    response.setHeader('date', new Date(createdAtMs).toUTCString())
    answer(response, 200, { data: fromMs < createdAtMs ? [session(1)] : [], has_more: false })
  })
  const { find } = finderFor(clientFor(base), systemClock, () => Date.now())
  const identity = { sizeBytes: 1000, mtimeNs: String(BigInt(Date.now()) * 1_000_000n) }
  expect(await find(recordingOf(1, { identity: identity as Recording['identity'] }))).toEqual({
    ok: true,
    value: { ids: ['ses_1'], unknown: null },
  })
})

describe.each([
  ['before the journal existed', {}],
  ['by a request in the journal', { createKeyAtMs: 0 }],
])('a search for a session that was possibly created %s', (_, creation) => {
  let pages = 0
  const nextCursors: Record<string, string> = { '': 'a', a: 'b', b: 'c', c: 'a' }
  test.each<[string, (query: URLSearchParams) => object, number]>([
    [
      'cursors that lead in a circle',
      (query) => ({ data: [], has_more: true, next_cursor: nextCursors[query.get('cursor') ?? ''] }),
      4,
    ],
    [
      'repeated pages under new cursors',
      () => ({ data: [session(++pages % 3)], has_more: true, next_cursor: `page ${pages}` }),
      4,
    ],
    ['endless empty pages', () => ({ data: [], has_more: true, next_cursor: `page ${++pages}` }), 21],
    ['more pages, but no cursor', () => ({ data: [session(7)], has_more: true }), 1],
    [
      'more pages, but an unusable cursor',
      () => ({ data: [session(7)], has_more: true, next_cursor: 'x'.repeat(10_000) }),
      1,
    ],
  ])('reports a failure, never “not found”, for %s', async (_name, page, maxQueries) => {
    const { queries, find } = await serveList(page)
    const result = await find(recordingOf(99, creation))
    expect(result).toMatchObject({ ok: false, failure: { kind: 'list-endless' } })
    expect(queries.length).toBeLessThanOrEqual(maxQueries)
  })
})

describe.each([
  ['before the journal existed', {}],
  ['by a request in the journal', { createKeyAtMs: 0 }],
])('a session whose list entry has no SHA-256, possibly created %s', (_, creation) => {
  /** Serves a list with these entries, and each session by its ID. Collects the IDs of the retrieved sessions. */
  const serveSessions = async (listed: readonly object[], sessionById: (id: string) => object | null) => {
    const retrieved: string[] = []
    const base = await httpServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://here')
      const id = pathname.split('/')[3]
      if (id === undefined) return answer(response, 200, { object: 'list', data: listed, has_more: false })
      retrieved.push(id)
      const foundSession = sessionById(id)
      if (foundSession === null) return answer(response, 404, errorAnswer('not_found'))
      answer(response, 200, foundSession)
    })
    return { retrieved, ...finderFor(clientFor(base)) }
  }
  const withoutSha256 = (n: number, overrides: object = {}) => ({
    ...session(n),
    sha256: null,
    ...overrides,
  })
  const numberOf = (id: string) => Number(id.replace('ses_', ''))
  const recording = recordingOf(7, creation)

  test('is retrieved if it has the name and the size of the recording', async () => {
    const sessions = [
      withoutSha256(6),
      withoutSha256(7, { id: 'ses_71', bytes: 999 }),
      withoutSha256(7, { id: 'ses_70' }),
      withoutSha256(7),
    ]
    const { retrieved, find } = await serveSessions(sessions, (id) =>
      id === 'ses_70' ? { ...session(70), filename: 'take-7.bin' } : session(numberOf(id)),
    )
    expect(await find(recording)).toEqual({ ok: true, value: { ids: ['ses_7'], unknown: null } })
    expect(retrieved).toEqual(['ses_70', 'ses_7'])
  })

  test('is retrieved if it shows neither name nor size', async () => {
    const { find } = await serveSessions([{ id: 'ses_7', status: 'processed' }], () => session(7))
    expect(await find(recording)).toEqual({ ok: true, value: { ids: ['ses_7'], unknown: null } })
  })

  test('counts as “not found” only once Sluice believes the service’s 404 for this session', async () => {
    const { find } = await serveSessions([withoutSha256(7)], () => null)
    expect(await find(recording)).toMatchObject({
      value: { ids: [], unknown: { kind: 'listed-session-denied' } },
    })
    expect(await find(recording, true)).toEqual({ ok: true, value: { ids: [], unknown: null } })
  })

  test('stays unknown, never “not found”, as long as the service does not show its SHA-256', async () => {
    let isShown = false
    const { find } = await serveSessions([withoutSha256(7)], () => (isShown ? session(7) : withoutSha256(7)))
    expect(await find(recording)).toMatchObject({ value: { ids: [], unknown: { kind: 'list-endless' } } })
    isShown = true
    expect(await find(recording)).toEqual({ ok: true, value: { ids: ['ses_7'], unknown: null } })
  })

  test('stays unknown if the search has already retrieved a hundred such sessions', async () => {
    const many = Array.from({ length: 150 }, (__, n) => withoutSha256(7, { id: `ses_${n + 1_000}` }))
    const { retrieved, find } = await serveSessions(many, (id) => session(numberOf(id)))
    expect(await find(recording)).toMatchObject({ value: { ids: [], unknown: { kind: 'list-endless' } } })
    expect(retrieved).toHaveLength(100)
  })
})

test('after a search has retrieved a hundred sessions without a SHA-256, the next search retrieves the remaining ones', async () => {
  const retrieved: string[] = []
  const base = await httpServer((request, response) => {
    const id = new URL(request.url ?? '', 'http://here').pathname.split('/')[3]
    const ids = Array.from({ length: 150 }, (_, n) => `ses_${n}`)
    const renamedSession = (sessionId: string) => ({
      ...session(Number(sessionId.slice(4))),
      filename: 'take-149.bin',
    })
    if (id !== undefined) {
      retrieved.push(id)
      return answer(response, 200, renamedSession(id))
    }
    const data = ids.map((sessionId) => ({ ...renamedSession(sessionId), sha256: null }))
    answer(response, 200, { object: 'list', data, has_more: false })
  })
  const { find } = finderFor(clientFor(base))
  expect(await find(recordingOf(149))).toMatchObject({ value: { unknown: { kind: 'list-endless' } } })
  expect(await find(recordingOf(149))).toEqual({ ok: true, value: { ids: ['ses_149'], unknown: null } })
  expect(retrieved).toHaveLength(150)
})

test('a thousand recordings share one search through a circular list, and the wait after it', async () => {
  const { queries, find } = await serveList(() => ({ data: [], has_more: true, next_cursor: 'a' }))
  for (let n = 0; n < 1_000; n += 1) expect((await find(recordingOf(n))).ok).toBe(false)
  expect(queries.length).toBeLessThan(20)
})

test.each([400, 404, 410])(
  'a refused cursor (%i) is a failure, and the next walk starts from the first page',
  async (status) => {
    let areCursorsRefused = true
    const cursors: (string | null)[] = []
    const base = await httpServer((request, response) => {
      const cursor = new URL(request.url ?? '', 'http://here').searchParams.get('cursor')
      cursors.push(cursor)
      if (cursor !== null && areCursorsRefused) return answer(response, status, errorAnswer('invalid_cursor'))
      const from = Number(cursor ?? 0)
      answer(response, 200, { data: [session(from)], has_more: from < 2, next_cursor: String(from + 1) })
    })
    const { find } = finderFor(clientFor(base))
    const recording = recordingOf(2, { createKeyAtMs: 0 })
    expect(await find(recording)).toMatchObject({ ok: false, failure: { kind: 'list-endless' } })
    areCursorsRefused = false
    expect(await find(recording)).toEqual({ ok: true, value: { ids: ['ses_2'], unknown: null } })
    expect(cursors).toEqual([null, '1', null, '1', '2'])
  },
)

test('after an error, the search waits, and then continues where it was interrupted', async () => {
  let isDown = true
  const cursors: (string | null)[] = []
  const base = await httpServer((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://here').searchParams.get('cursor')
    cursors.push(cursor)
    if (cursor === '5' && isDown) return answer(response, 503, errorAnswer('down'))
    const from = Number(cursor ?? 0)
    answer(response, 200, { data: [session(from)], has_more: from < 9, next_cursor: String(from + 1) })
  })
  let monotonicMs = 0
  const { find } = finderFor(clientFor(base), { ...systemClock, monotonicMs: () => monotonicMs })
  expect(await find(recordingOf(9))).toMatchObject({ ok: false, failure: { kind: 'service' } })
  expect(await find(recordingOf(9))).toMatchObject({ ok: false, failure: { kind: 'search-failed' } })
  isDown = false
  monotonicMs = LONGEST_PROBE_DELAY_MS
  expect(await find(recordingOf(9))).toEqual({ ok: true, value: { ids: ['ses_9'], unknown: null } })
  expect(cursors).toEqual([null, '1', '2', '3', '4', '5', '5', '6', '7', '8', '9'])
})
