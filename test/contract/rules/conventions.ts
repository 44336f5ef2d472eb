import { expect } from 'vitest'
import { flags as eventFlags, subscribe } from '../event-support.ts'
import { section } from '../rule.ts'
import { expectError, newSession, patterned } from '../service.ts'

const isoUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

const hook = { url: 'https://example.com/hook', events: ['session.processed'] }

export const conventionRules = [
  ...section('§2.1', {
    'every object has id and object': async ({ service }) => {
      const created = await service.create(patterned(10))
      const endpoint = await service.call('POST', '/v1/webhook_endpoints', { body: hook })
      const listedSessions = (await service.call('GET', '/v1/sessions?limit=1')).json().data as unknown[]
      const session = { id: expect.stringMatching(/^ses_\w+$/), object: 'session' }
      expect(created).toMatchObject(session)
      expect(await service.retrieve(created.id)).toMatchObject(session)
      expect(listedSessions).toMatchObject([session])
      expect(endpoint.json()).toMatchObject({ id: expect.any(String), object: 'webhook_endpoint' })
      const deleted = await service.call('DELETE', `/v1/sessions/${created.id}`)
      expect(deleted.json()).toMatchObject(session)
    },
    'identifiers carry their type: ses_ for sessions, req_ for requests, evt_ for events; no identifier is used twice':
      async ({ launch }) => {
        const { service } = await launch(...eventFlags)
        const { hook: receiver } = await subscribe(service, ['session.processed'])
        const ids: string[] = []
        for (const n of [1, 2, 3]) {
          const answer = await service.call('POST', '/v1/sessions', { body: newSession(patterned(10, n)) })
          expect(answer.json().id).toMatch(/^ses_[0-9a-z]+$/)
          expect(answer.headers['request-id']).toMatch(/^req_[0-9a-z]+$/)
          ids.push(answer.json().id as string, answer.headers['request-id'] as string)
          await service.upload(patterned(10, n))
          await receiver.waitForDeliveries(n)
          const { event } = receiver.deliveries[n - 1]!
          expect(event.id).toMatch(/^evt_[0-9a-z]+$/)
          ids.push(event.id)
        }
        expect(new Set(ids).size).toBe(ids.length)
      },
    'timestamps are ISO 8601 in UTC': async ({ service }) => {
      const created = await service.create(patterned(10))
      expect(created.upload.expires_at).toMatch(isoUtc)
      const recording = Buffer.from('t,x\n1700000000,1\n')
      const session = await service.waitUntilProcessed(await service.upload(recording, { filename: 'a.csv' }))
      expect(session.created_at).toMatch(isoUtc)
      expect(session.processed_at).toMatch(isoUtc)
      expect(session.recorded_at).toMatch(isoUtc)
      const endpoint = await service.call('POST', '/v1/webhook_endpoints', { body: hook })
      expect(endpoint.json().created_at).toMatch(isoUtc)
    },
    'a request body that is not application/json is refused': async ({ service }) => {
      const answer = await service.call('POST', '/v1/sessions', {
        raw: '{}',
        headers: { 'content-type': 'text/plain' },
      })
      expectError(answer, 400, 'invalid_request', 'content_type_invalid', 'Content-Type')
    },
    'every answer carries a Request-Id, a new one each time': async ({ service }) => {
      const answers = [
        await service.call('GET', '/v1/sessions'),
        await service.call('GET', '/v1/sessions', { key: null }),
        await service.call('GET', '/v1/sessions/ses_none'),
        await service.call('GET', '/nothing'),
        await service.call('POST', '/v1/sessions', { raw: '{' }),
      ]
      const ids = answers.map((answer) => answer.headers['request-id'])
      for (const id of ids) expect(id).toMatch(/^req_\w+$/)
      expect(new Set(ids).size).toBe(ids.length)
    },
  }),
  ...section('§7', {
    'an error is {type, code, message, param, request_id}, all strings; request_id equals the Request-Id header':
      async ({ service }) => {
        expectError(await service.call('GET', '/v1/sessions/ses_none'), 404, 'not_found')
        expectError(
          await service.call('GET', '/v1/sessions?limit=0'),
          400,
          'invalid_request',
          'parameter_invalid',
          'limit',
        )
      },
    'an answer with an injected error status has the error type of that status': async ({ service }) => {
      const types = {
        400: 'invalid_request',
        401: 'authentication',
        403: 'permission',
        404: 'not_found',
        409: 'conflict',
        422: 'processing',
        429: 'rate_limited',
        500: 'api_error',
        503: 'api_error',
      }
      for (const [status, type] of Object.entries(types)) {
        const effect = { kind: 'status', status: Number(status), retry_after_s: 7 }
        await service.operate('POST', '/faults', { route: 'list', effect })
        const answer = await service.call('GET', '/v1/sessions')
        expectError(answer, Number(status), type)
        expect(answer.headers['retry-after']).toBe('7')
      }
    },
    'after a 5xx, the service processes a new request with the same Idempotency-Key': async ({ service }) => {
      await service.operate('POST', '/faults', { route: 'create', effect: { kind: 'status', status: 500 } })
      const headers = { 'idempotency-key': 'after-a-500' }
      const first = await service.call('POST', '/v1/sessions', { body: {}, headers })
      expectError(first, 500, 'api_error')
      expect((await service.create(patterned(10), {}, headers)).status).toBe('uploading')
    },
  }),
  ...section('§9', {
    'the version is in the path': async ({ service }) => {
      expect((await service.call('GET', '/v1/sessions')).status).toBe(200)
      expectError(await service.call('GET', '/v2/sessions'), 404, 'not_found')
      expectError(await service.call('GET', '/sessions'), 404, 'not_found')
    },
  }),
]
