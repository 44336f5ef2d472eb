import { describe, expect, test } from 'vitest'
import { done } from '../../../../../main/agent/domain/failure.ts'
import { listWindows } from '../../../../../main/agent/domain/list-window.ts'
import { firstPollMs, pollAtMs } from '../../../../../main/agent/domain/poll-interval.ts'
import type { RemoteSession, ServiceClient, SessionFilter } from '../../../../../main/agent/ports/service.ts'
import { listedSessions } from '../../../../../main/agent/sessions/listed-sessions.ts'

const START_MS = Date.parse('2026-11-15T18:00:00Z')

const followedSession = (sessionId: string, secondsLater: number | null, site = 'lab') => ({
  sessionId,
  site,
  session: {
    createdAt: secondsLater === null ? null : new Date(START_MS + secondsLater * 1000).toISOString(),
  },
})

describe('sessions polled by the list', () => {
  test('are at least four sessions of one site, and the list covers only their creation times', () => {
    const recordings = [3, 0, 40, 90].map((second) => followedSession(`ses_${second}`, second))
    const { windows, singles } = listWindows(recordings)
    expect(singles).toEqual([])
    expect(windows).toMatchObject([
      { site: 'lab', span: { from: '2026-11-15T17:59:59.000Z', before: '2026-11-15T18:01:31.000Z' } },
    ])
  })

  test('leave out a session that is hours older, because its list would contain many sessions of other stations', () => {
    const recordings = [-7200, 0, 1, 2, 3].map((second) => followedSession(`ses_${second}`, second))
    const { windows, singles } = listWindows(recordings)
    expect(singles.map(({ sessionId }) => sessionId)).toEqual(['ses_-7200'])
    expect(windows.map(({ wanted }) => wanted.length)).toEqual([4])
  })

  test('share one list per site, and a site with few sessions has no list', () => {
    const recordings = ['a', 'b'].flatMap((site) =>
      [0, 1, 2, 3].map((n) => followedSession(`${site}${n}`, n, site)),
    )
    const { windows, singles } = listWindows([...recordings, followedSession('c', 0, 'c')])
    expect(windows.map(({ site }) => site)).toEqual(['a', 'b'])
    expect(singles.map(({ site }) => site)).toEqual(['c'])
  })

  test('may have the latest creation time that a date can hold', () => {
    const lastPossible = {
      sessionId: 'a',
      site: 'lab',
      session: { createdAt: '+275760-09-13T00:00:00.000Z' },
    }
    expect(listWindows([lastPossible, lastPossible, lastPossible, lastPossible]).windows).toMatchObject([
      { span: null },
    ])
  })

  test('share a list of the whole site if the service sends no creation time', () => {
    const { windows } = listWindows([0, 1, 2, 3].map((n) => followedSession(`ses_${n}`, null)))
    expect(windows).toMatchObject([{ span: null }])
  })
})

describe('the pages of a session list', () => {
  const session = (id: string) => ({ id }) as RemoteSession
  const fakeListing = (pages: readonly (readonly string[])[]) => {
    const requests: SessionFilter[] = []
    const listSessions: ServiceClient['listSessions'] = async (filter) => {
      const ids = pages[requests.length] ?? []
      requests.push(filter)
      const nextCursor = requests.length < pages.length ? `page ${requests.length}` : null
      return done({ value: { sessions: ids.map(session), nextCursor }, requestId: null })
    }
    return { requests, client: { listSessions } as ServiceClient }
  }
  const readPages = async (wanted: readonly string[], pages: readonly (readonly string[])[]) => {
    const { requests, client } = fakeListing(pages)
    const window = { site: 'lab', span: null, wanted: wanted.map((id) => followedSession(id, 0)) }
    for await (const page of listedSessions(window, client, new AbortController().signal))
      expect(page.ok).toBe(true)
    return requests
  }
  const sessionIds = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `ses_${from + n}`)

  test('are read until they have listed every wanted session', async () => {
    const requests = await readPages(sessionIds(0, 20), [
      sessionIds(0, 10),
      sessionIds(10, 10),
      sessionIds(20, 10),
    ])
    expect(requests.map(({ cursor }) => cursor)).toEqual([undefined, 'page 1'])
  })

  test('are not read after a page with few wanted sessions, because single polls are then about as cheap', async () => {
    const requests = await readPages(sessionIds(0, 20), [
      sessionIds(0, 10),
      ['ses_10', 'other'],
      sessionIds(11, 9),
    ])
    expect(requests).toHaveLength(2)
  })
})

describe('polls', () => {
  test('of many sessions happen together at a few times, and never before the wait is over', () => {
    const at = Array.from({ length: 3_000 }, (_, n) => pollAtMs(START_MS + n, 2_000, 0.3))
    expect(new Set(at).size).toBeLessThanOrEqual(7)
    at.forEach((ms, n) => {
      expect(ms).toBeGreaterThanOrEqual(START_MS + n + 2_000)
      expect(ms).toBeLessThanOrEqual(START_MS + n + 2_501)
    })
  })

  test('of fifty stations happen at different times', () => {
    const at = Array.from({ length: 50 }, (_, n) => pollAtMs(START_MS, 15_000, n / 50))
    expect(new Set(at).size).toBe(50)
  })

  test('without a wait are not delayed', () => {
    expect(pollAtMs(START_MS, 0, 0.5)).toBe(START_MS)
  })

  test.each([
    [15, false, 2_000],
    [0.2, false, 200],
    [15, true, 90_000],
  ])('with a base interval of %d s (events arrive: %s) start after %i ms', (base, events, expected) => {
    expect(firstPollMs(base, events)).toBe(expected)
  })
})
