import { expect } from 'vitest'
import { section } from '../rule.ts'
import { expectError } from '../service.ts'

const path = '/v1/webhook_endpoints'
const valid = { url: 'https://example.com/hook', events: ['session.processed'] }

export const webhookEndpointRules = [
  ...section('§4.7', {
    'creation returns the endpoint with its secret (whsec_)': async ({ service }) => {
      const answer = await service.call('POST', path, { body: valid })
      expect(answer.status).toBe(200)
      expect(answer.json()).toMatchObject({ ...valid, secret: expect.stringMatching(/^whsec_\w{24,}$/) })
    },
    'each endpoint has its own secret': async ({ service }) => {
      const firstAnswer = await service.call('POST', path, { body: valid })
      const secondAnswer = await service.call('POST', path, { body: valid })
      expect(firstAnswer.json().secret).not.toBe(secondAnswer.json().secret)
    },
    'the url must be https, except on this computer': async ({ service }) => {
      for (const url of [
        'http://127.0.0.1:1/x',
        'http://localhost:1/x',
        'http://[::1]:1/x',
        'https://example.com',
      ]) {
        expect((await service.call('POST', path, { body: { ...valid, url } })).status, url).toBe(200)
      }
      const refusedUrls = [
        'http://example.com/',
        'http://127.0.0.1.example.com/',
        'ftp://127.0.0.1/',
        'javascript:alert(1)',
        'https://user:word@example.com/',
        'not a url',
        '',
        7,
        undefined,
        `https://example.com/${'x'.repeat(4_000)}`,
      ]
      for (const url of refusedUrls) {
        const answer = await service.call('POST', path, { body: { ...valid, url } })
        expectError(answer, 400, 'invalid_request', 'parameter_invalid', 'url')
      }
    },
    'the url must not be an address in a private network, unless the sandbox allows it': async ({
      service,
      launch,
    }) => {
      const privateHosts = [
        '169.254.169.254',
        '10.0.0.1',
        '192.168.1.1',
        '[fe80::1]',
        '[::ffff:a9fe:a9fe]',
        '0xa9fea9fe',
      ]
      const { service: permissive } = await launch('--private-webhooks')
      for (const host of privateHosts) {
        const body = { ...valid, url: `https://${host}/latest/meta-data` }
        const answer = await service.call('POST', path, { body })
        expectError(answer, 400, 'invalid_request', 'parameter_invalid', 'url')
        expect((await permissive.call('POST', path, { body })).status, host).toBe(200)
      }
    },
    'events must be event names of §6.1': async ({ service }) => {
      const all = ['session.processed', 'session.failed', 'export.completed', 'export.failed']
      expect((await service.call('POST', path, { body: { ...valid, events: all } })).json().events).toEqual(
        all,
      )
      for (const [events, param] of [
        [[], 'events'],
        ['session.processed', 'events'],
        [undefined, 'events'],
        [['session.started'], 'events[0]'],
        [['session.failed', 7], 'events[1]'],
      ] as const) {
        const answer = await service.call('POST', path, { body: { ...valid, events } })
        expectError(answer, 400, 'invalid_request', 'parameter_invalid', param)
      }
    },
  }),
]
