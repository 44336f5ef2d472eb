import { expect } from 'vitest'
import { section } from '../rule.ts'
import { expectError, newSession, patterned } from '../service.ts'

export const authenticationRules = [
  ...section('§5.4', {
    'a missing, revoked or wrong key is 401 authentication, on every route': async ({ service }) => {
      const routes = [
        ['POST', '/v1/sessions'],
        ['GET', '/v1/sessions'],
        ['GET', '/v1/sessions/ses_1'],
        ['DELETE', '/v1/sessions/ses_1'],
        ['POST', '/v1/sessions/ses_1/complete'],
        ['POST', '/v1/webhook_endpoints'],
      ] as const
      for (const key of [null, service.sandbox.keys.revoked, 'svc_test_wrong', 'svc_live_wrong']) {
        for (const [method, path] of routes) {
          expectError(await service.call(method, path, { key }), 401, 'authentication')
        }
      }
    },
    'a key that is not sent as a bearer token is 401': async ({ service }) => {
      const { write } = service.sandbox.keys
      for (const authorization of [
        write,
        `Basic ${write}`,
        'Bearer',
        'Bearer ',
        `Bearer ${write} ${write}`,
      ]) {
        const answer = await service.call('GET', '/v1/sessions', { key: null, headers: { authorization } })
        expectError(answer, 401, 'authentication')
      }
    },
  }),
  ...section('§5.5', {
    'a key without write permission can read, but POST and DELETE answer 403 permission': async ({
      service,
    }) => {
      const key = service.sandbox.keys.read
      const { id } = await service.create(patterned(10))
      expect((await service.call('GET', '/v1/sessions', { key })).status).toBe(200)
      expect((await service.call('GET', `/v1/sessions/${id}`, { key })).status).toBe(200)
      const body = newSession(patterned(10))
      expectError(await service.call('POST', '/v1/sessions', { key, body }), 403, 'permission')
      const parts = { parts: [] }
      expectError(
        await service.call('POST', `/v1/sessions/${id}/complete`, { key, body: parts }),
        403,
        'permission',
      )
      expectError(await service.call('DELETE', `/v1/sessions/${id}`, { key }), 403, 'permission')
      expectError(await service.call('POST', '/v1/webhook_endpoints', { key, body: {} }), 403, 'permission')
      expect((await service.retrieve(id)).status).toBe('uploading')
    },
    'an object of a different organisation is 403 permission': async ({ service }) => {
      const key = service.sandbox.keys.other_org
      const created = await service.create(patterned(10))
      const etags = await service.putParts(created.upload.parts, patterned(10), 1_000)
      expectError(await service.call('GET', `/v1/sessions/${created.id}`, { key }), 403, 'permission')
      expectError(await service.complete(created.id, etags, { key }), 403, 'permission')
      expectError(await service.call('DELETE', `/v1/sessions/${created.id}`, { key }), 403, 'permission')
      expect((await service.retrieve(created.id)).status).toBe('uploading')
    },
  }),
  ...section('§5.2', {
    'a list holds only sessions of the key’s own organisation': async ({ service }) => {
      const key = service.sandbox.keys.other_org
      const site = `shared-name-${performance.now()}`
      const ours = await service.create(patterned(10), { site })
      const theirs = await service.create(patterned(10), { site, key })
      const listIds = async (withKey: string) => {
        const answer = await service.call('GET', `/v1/sessions?site=${site}`, { key: withKey })
        return (answer.json().data as { id: string }[]).map(({ id }) => id)
      }
      expect(await listIds(service.sandbox.keys.write)).toEqual([ours.id])
      expect(await listIds(key)).toEqual([theirs.id])
    },
  }),
  ...section('§5.3', {
    'test keys begin with svc_test_; the sample organisation has sessions, and the live key’s organisation has none':
      async ({ launch }) => {
        const { service } = await launch()
        const { live, ...testKeys } = service.sandbox.keys
        for (const key of Object.values(testKeys)) expect(key).toMatch(/^svc_test_/)
        expect(live).toMatch(/^svc_live_/)
        const samples = (await service.call('GET', '/v1/sessions')).json().data as { status: string }[]
        expect(samples.map(({ status }) => status).sort()).toEqual(['failed', 'processed', 'processed'])
        const others = await service.call('GET', '/v1/sessions', { key: service.sandbox.keys.other_org })
        expect(others.json().data).toEqual([])
        const production = await service.call('GET', '/v1/sessions', { key: live })
        expect(production.json().data).toEqual([])
      },
  }),
]
