import { describe, expect, test } from 'vitest'
import { done } from '../../../../../main/agent/domain/failure.ts'
import { listWindows } from '../../../../../main/agent/domain/list-window.ts'
import { firstPollMs, pollAtMs } from '../../../../../main/agent/domain/poll-interval.ts'
import type { RemoteSession, ServiceClient, SessionFilter } from '../../../../../main/agent/ports/service.ts'
import { listedSessions } from '../../../../../main/agent/sessions/listed-sessions.ts'

const AT = Date.parse('2026-11-15T18:00:00Z')

const followed = (sessionId: string, secondsLater: number | null, site = 'lab') => ({
  sessionId,
  site,
  session: { createdAt: secondsLater === null ? null : new Date(AT + secondsLater * 1000).toISOString() },
})

describe('what is followed by the list', () => {
  test('four of a site that were made one soon after the other, and only between the first and the last', () => {
    const recordings = [3, 0, 40, 90].map((second) => followed(`ses_${second}`, second))
    const { windows, alone } = listWindows(recordings)
    expect(alone).toEqual([])
    expect(windows).toMatchObject([
      { site: 'lab', span: { from: '2026-11-15T17:59:59.000Z', before: '2026-11-15T18:01:31.000Z' } },
    ])
  })

  test('one that the service has been at for hours is asked about alone: its page would show everybody else’s', () => {
    const recordings = [-7200, 0, 1, 2, 3].map((second) => followed(`ses_${second}`, second))
    const { windows, alone } = listWindows(recordings)
    expect(alone.map(({ sessionId }) => sessionId)).toEqual(['ses_-7200'])
    expect(windows.map(({ wanted }) => wanted.length)).toEqual([4])
  })

  test('each site has its own list, and a site with a few has none', () => {
    const recordings = ['a', 'b'].flatMap((site) => [0, 1, 2, 3].map((n) => followed(`${site}${n}`, n, site)))
    const { windows, alone } = listWindows([...recordings, followed('c', 0, 'c')])
    expect(windows.map(({ site }) => site)).toEqual(['a', 'b'])
    expect(alone.map(({ site }) => site)).toEqual(['c'])
  })

  test('a time of creation that no date can follow ends nothing', () => {
    const last = { sessionId: 'a', site: 'lab', session: { createdAt: '+275760-09-13T00:00:00.000Z' } }
    expect(listWindows([last, last, last, last]).windows).toMatchObject([{ span: null }])
  })

  test('where the service tells no time of creation, all of the site is listed', () => {
    const { windows } = listWindows([0, 1, 2, 3].map((n) => followed(`ses_${n}`, null)))
    expect(windows).toMatchObject([{ span: null }])
  })
})

describe('pages', () => {
  const session = (id: string) => ({ id }) as RemoteSession
  const listing = (pages: readonly (readonly string[])[]) => {
    const asked: SessionFilter[] = []
    const listSessions: ServiceClient['listSessions'] = async (filter) => {
      const ids = pages[asked.length] ?? []
      asked.push(filter)
      const nextCursor = asked.length < pages.length ? `page ${asked.length}` : null
      return done({ value: { sessions: ids.map(session), nextCursor }, requestId: null })
    }
    return { asked, client: { listSessions } as ServiceClient }
  }
  const read = async (wanted: readonly string[], pages: readonly (readonly string[])[]) => {
    const { asked, client } = listing(pages)
    const window = { site: 'lab', span: null, wanted: wanted.map((id) => followed(id, 0)) }
    for await (const page of listedSessions(window, client, new AbortController().signal))
      expect(page.ok).toBe(true)
    return asked
  }
  const names = (from: number, count: number) => Array.from({ length: count }, (_, n) => `ses_${from + n}`)

  test('are read until all that is wanted was shown', async () => {
    const asked = await read(names(0, 20), [names(0, 10), names(10, 10), names(20, 10)])
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, 'page 1'])
  })

  test('end where one shows only a few: the rest is asked about one by one for no more requests', async () => {
    const asked = await read(names(0, 20), [names(0, 10), ['ses_10', 'other'], names(11, 9)])
    expect(asked).toHaveLength(2)
  })
})

describe('looks', () => {
  test('of many fall together, and never before the wait is over', () => {
    const at = Array.from({ length: 3_000 }, (_, n) => pollAtMs(AT + n, 2_000, 0.3))
    expect(new Set(at).size).toBeLessThanOrEqual(7)
    at.forEach((ms, n) => {
      expect(ms).toBeGreaterThanOrEqual(AT + n + 2_000)
      expect(ms).toBeLessThanOrEqual(AT + n + 2_501)
    })
  })

  test('of fifty stations do not', () => {
    const at = Array.from({ length: 50 }, (_, n) => pollAtMs(AT, 15_000, n / 50))
    expect(new Set(at).size).toBe(50)
  })

  test('one that is due at once is not put off', () => {
    expect(pollAtMs(AT, 0, 0.5)).toBe(AT)
  })

  test.each([
    [15, false, 2_000],
    [0.2, false, 200],
    [15, true, 90_000],
  ])('the first, with a base of %d s and events %s: after %i ms', (base, events, expected) => {
    expect(firstPollMs(base, events)).toBe(expected)
  })
})
