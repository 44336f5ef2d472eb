import { expect, onTestFinished } from 'vitest'
import type { List, Session } from '../../../shared/contract/control-api.ts'
import { pool } from '../raw-http.ts'
import { type Bench, section } from '../rule.ts'
import { expectError, newSession, patterned, Service } from '../service.ts'

async function list(service: Service, query: string): Promise<List<Session>> {
  const answer = await service.call('GET', `/v1/sessions${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json() as unknown as List<Session>
}

/** Creates sessions at a new site. */
async function createSite({ service }: Bench, count: number): Promise<{ site: string; ids: string[] }> {
  const site = `list-${count}-${performance.now()}`
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push((await service.create(patterned(10, n), { site })).id)
  return { site, ids }
}

const idsOf = (page: List<Session>) => page.data.map((session) => session.id)

export const listRules = [
  ...section('§2.5', {
    'a list is {object: list, data, has_more, next_cursor}; the last page has no cursor': async (bench) => {
      const { site } = await createSite(bench, 3)
      const page = await list(bench.service, `?site=${site}&limit=2`)
      expect(page).toMatchObject({ object: 'list', has_more: true, next_cursor: expect.any(String) })
      const lastPage = await list(bench.service, `?site=${site}&limit=2&cursor=${page.next_cursor}`)
      expect(lastPage).toMatchObject({ object: 'list', has_more: false })
      expect(lastPage).not.toHaveProperty('next_cursor')
      expect([...page.data, ...lastPage.data]).toHaveLength(3)
    },
    'has_more is false on the last page, even if this page is full': async (bench) => {
      const { site } = await createSite(bench, 2)
      expect(await list(bench.service, `?site=${site}&limit=2`)).toMatchObject({ has_more: false })
    },
    'pages stay correct while sessions are added and deleted': async (bench) => {
      const { service } = bench
      const { site, ids: createdIds } = await createSite(bench, 9)
      const newestFirst = createdIds.toReversed()
      const first = await list(service, `?site=${site}&limit=3`)
      expect(idsOf(first)).toEqual(newestFirst.slice(0, 3))
      await service.create(patterned(5), { site })
      // Deletes a listed session, the session at the cursor, and a session of the next page.
      for (const deletedId of [newestFirst[0]!, newestFirst[2]!, newestFirst[4]!]) {
        expect((await service.call('DELETE', `/v1/sessions/${deletedId}`)).status).toBe(200)
      }
      const second = await list(service, `?site=${site}&limit=3&cursor=${first.next_cursor}`)
      expect(idsOf(second)).toEqual([newestFirst[3], newestFirst[5], newestFirst[6]])
      const third = await list(service, `?site=${site}&limit=3&cursor=${second.next_cursor}`)
      expect(idsOf(third)).toEqual([newestFirst[7], newestFirst[8]])
    },
  }),
  ...section('§4.5', {
    'each item of a list is a session object': async (bench) => {
      const { site, ids: createdIds } = await createSite(bench, 1)
      const [item] = (await list(bench.service, `?site=${site}`)).data
      const { upload: _, ...session } = await bench.service.retrieve(createdIds[0]!)
      expect(item).toEqual(session)
    },
    'the filter site selects the sessions of that site': async (bench) => {
      const { site, ids: createdIds } = await createSite(bench, 2)
      expect(idsOf(await list(bench.service, `?site=${site}`)).sort()).toEqual(createdIds.sort())
    },
    'the filter status selects the sessions in that state': async ({ service }) => {
      const site = `status-${performance.now()}`
      const uploading = await service.create(patterned(10), { site })
      const finished = await service.upload(patterned(10), { site })
      await service.waitUntilProcessed(finished)
      expect(idsOf(await list(service, `?site=${site}&status=uploading`))).toEqual([uploading.id])
      expect(idsOf(await list(service, `?site=${site}&status=processed`))).toEqual([finished])
      for (const status of ['uploaded', 'processing', 'failed']) {
        expect(idsOf(await list(service, `?site=${site}&status=${status}`))).toEqual([])
      }
    },
    'created[gte] includes the given moment, created[lt] excludes it': async (bench) => {
      const { site, ids: createdIds } = await createSite(bench, 1)
      const { created_at: createdAt } = await bench.service.retrieve(createdIds[0]!)
      const from = encodeURIComponent('created[gte]')
      const to = encodeURIComponent('created[lt]')
      const laterTime = new Date(Date.parse(createdAt) + 1).toISOString()
      expect(idsOf(await list(bench.service, `?site=${site}&${from}=${createdAt}`))).toEqual(createdIds)
      expect(idsOf(await list(bench.service, `?site=${site}&${from}=${laterTime}`))).toEqual([])
      expect(idsOf(await list(bench.service, `?site=${site}&${to}=${createdAt}`))).toEqual([])
      expect(
        idsOf(await list(bench.service, `?site=${site}&${from}=${createdAt}&${to}=${laterTime}`)),
      ).toEqual(createdIds)
      expect(idsOf(await list(bench.service, `?site=${site}&created[gte]=${createdAt}`))).toEqual(createdIds)
      // This moment is less than a millisecond after the creation of the session.
      const betweenTimes = createdAt.replace('Z', '0005Z')
      expect(idsOf(await list(bench.service, `?site=${site}&${from}=${betweenTimes}`))).toEqual([])
      expect(idsOf(await list(bench.service, `?site=${site}&${to}=${betweenTimes}`))).toEqual(createdIds)
    },
    'limit is 50 by default and at most 500': async ({ launch }) => {
      const { sandbox } = await launch('--min-part-size', '1000')
      const agent = pool(50)
      onTestFinished(() => agent.destroy())
      const service = new Service(sandbox, agent)
      const bytes = patterned(10)
      await Promise.all(
        Array.from({ length: 501 }, () => service.call('POST', '/v1/sessions', { body: newSession(bytes) })),
      )
      expect((await list(service, '')).data).toHaveLength(50)
      expect((await list(service, '?limit=500')).data).toHaveLength(500)
      expect((await list(service, '?limit=1')).data).toHaveLength(1)
      expectError(
        await service.call('GET', '/v1/sessions?limit=501'),
        400,
        'invalid_request',
        'parameter_invalid',
        'limit',
      )
    },
    'malformed filters answer 400 with param': async ({ service }) => {
      const rows = [
        ['limit=0', 'limit'],
        ['limit=-1', 'limit'],
        ['limit=1.5', 'limit'],
        ['limit=ten', 'limit'],
        ['status=done', 'status'],
        ['created[gte]=yesterday', 'created[gte]'],
        ['created[lt]=2026-13-45T00:00:00Z', 'created[lt]'],
        ['created[gte]=2026-02-30', 'created[gte]'],
        ['created[lt]=2026-01-01T00:00:00', 'created[lt]'],
        ['cursor=abc', 'cursor'],
        ['cursor=AAAAAAAAAAEAAAAAAAAAAA', 'cursor'],
        ['limit=1&limit=2', 'limit'],
      ] as const
      for (const [query, param] of rows) {
        const answer = await service.call('GET', `/v1/sessions?${query}`)
        expectError(answer, 400, 'invalid_request', 'parameter_invalid', param)
      }
    },
  }),
]
