import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAgentCalls } from '../../../../main/agent/calls/agent-calls.ts'
import { webhookCalls } from '../../../../main/station-store/webhook-calls.ts'
import { WebhookSecrets } from '../../../../main/station-store/webhook-secrets.ts'
import { newEndpoint } from '../../../../shared/contract/webhooks.ts'
import { draftSettingsSchema } from '../../../../shared/settings/settings.ts'
import {
  addEndpoint,
  addPendingRequest,
  readBook,
  secretsFor,
} from '../../../../shared/settings/webhook-book.ts'

const SERVICE = 'https://api.example.com'
const NOW_DATE = new Date('2026-11-15T18:00:00Z')
const hoursLater = (hours: number) => new Date(NOW_DATE.getTime() + hours * 3_600_000)
const endpoint = newEndpoint.parse({ url: 'https://hooks.example.com/a', events: ['session.processed'] })
const requestOf = (newKey: string, now = NOW_DATE, origin = SERVICE) => ({ origin, endpoint, newKey, now })

describe('the stored endpoints', () => {
  test('reuse the idempotency key of a request whose answer was lost, while the service remembers the key', () => {
    const first = addPendingRequest(null, requestOf('key-1'))
    expect(addPendingRequest(first.book, requestOf('key-2', hoursLater(22))).key).toBe('key-1')
    expect(addPendingRequest(first.book, requestOf('key-2', hoursLater(23))).key).toBe('key-2')
    expect(addPendingRequest(first.book, requestOf('key-2', hoursLater(-1))).key).toBe('key-2')
    const other = { ...requestOf('key-2'), endpoint: { ...endpoint, url: 'https://hooks.example.com/b' } }
    expect(addPendingRequest(first.book, other).key).toBe('key-2')
    expect(
      addPendingRequest(first.book, requestOf('key-2', NOW_DATE, 'https://elsewhere.example.com')).key,
    ).toBe('key-2')
  })

  test('treat the same request as new after an answer', () => {
    const { book } = addPendingRequest(null, requestOf('key-1'))
    const answeredBook = addEndpoint(book, endpoint, { id: 'whe_1', secret: 'whsec_1', now: NOW_DATE })
    expect(addPendingRequest(answeredBook, requestOf('key-2')).key).toBe('key-2')
  })

  test('keep the newest five secrets, and return them only for their service', () => {
    let { book } = addPendingRequest(null, requestOf('key'))
    for (let n = 1; n <= 7; n += 1)
      book = addEndpoint(book, endpoint, { id: `whe_${n}`, secret: `whsec_${n}`, now: NOW_DATE })
    expect(secretsFor(book, SERVICE)).toEqual(['whsec_3', 'whsec_4', 'whsec_5', 'whsec_6', 'whsec_7'])
    expect(secretsFor(book, 'https://elsewhere.example.com')).toEqual([])
    expect(readBook(JSON.stringify(book))).toEqual(book)
  })

  test.each(['', '{', '[]', '{"origin":1}'])('are ignored if the file holds %j', (text) => {
    expect(readBook(text)).toBeNull()
  })
})

describe('webhook endpoints in the app', () => {
  let folder: string
  let configureCalls = 0
  let isProtected = true
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-webhooks-'))
    configureCalls = 0
    isProtected = true
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const keychain = {
    isEncryptionAvailable: () => true,
    encryptString: (text: string) => Buffer.from(text).map((byte) => byte ^ 0x55) as Buffer,
    decryptString: (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ 0x55)).toString(),
    setUsePlainTextEncryption: () => {},
  }
  const openSecrets = () => {
    const webhooks = new WebhookSecrets({
      folder,
      keychain,
      storage: {
        describe: () => ({ available: true, backend: 'test', protects: isProtected, addressesWithKey: [] }),
      },
      log: () => {},
    })
    webhooks.load()
    return webhooks
  }
  const keys: string[] = []
  const callsOf = (webhooks: WebhookSecrets, answers: readonly (string | null)[]) => {
    const remainingAnswers = [...answers]
    return webhookCalls({
      store: {
        state: { settings: draftSettingsSchema.parse({ service: { base_url: SERVICE } }), problem: null },
      },
      webhooks,
      agent: {
        call: async (_name: unknown, args: unknown) => {
          keys.push((args as { idempotencyKey: string }).idempotencyKey)
          const secret = remainingAnswers.shift()
          return secret == null
            ? { ok: false, error: { kind: 'refused', message: 'The service cannot be reached.' } }
            : { ok: true, value: { id: 'whe_1', secret } }
        },
        configure: async () => {
          configureCalls += 1
        },
      } as never,
    })
  }
  const registration = { ...endpoint, acceptUnprotected: false }

  test('the secret goes to the keychain and to the agent, is shown once, and survives a restart', async () => {
    const webhooks = openSecrets()
    const calls = callsOf(webhooks, ['whsec_abc'])
    expect(await calls.registerWebhook(registration)).toEqual({ secret: 'whsec_abc', trouble: null })
    expect(configureCalls).toBe(1)
    expect(JSON.stringify(calls.getWebhookEndpoints(undefined))).not.toContain('whsec_')
    expect(calls.getWebhookEndpoints(undefined)).toMatchObject([
      { url: endpoint.url, events: endpoint.events },
    ])
    expect(readFileSync(path.join(folder, 'webhooks.bin')).toString()).not.toContain('whsec_')
    const reopened = openSecrets()
    expect(reopened.secretsFor(SERVICE)).toEqual(['whsec_abc'])
    expect(reopened.secretsFor('https://elsewhere.example.com')).toEqual([])
    expect(reopened.allSecrets).toEqual(['whsec_abc'])
  })

  test('a request whose answer was lost is repeated with the same idempotency key, even after a restart', async () => {
    keys.length = 0
    await expect(
      Promise.resolve(callsOf(openSecrets(), [null]).registerWebhook(registration)),
    ).rejects.toThrow('cannot be reached')
    await callsOf(openSecrets(), ['whsec_abc']).registerWebhook(registration)
    expect(keys).toHaveLength(2)
    expect(keys[1]).toBe(keys[0])
  })

  test('without a keychain, Sluice sends no request unless the user agrees to store the secret anyway', async () => {
    isProtected = false
    keys.length = 0
    const calls = callsOf(openSecrets(), ['whsec_abc'])
    await expect(Promise.resolve(calls.registerWebhook(registration))).rejects.toThrow(
      'Confirm to store it anyway',
    )
    expect(keys).toEqual([])
    expect(await calls.registerWebhook({ ...registration, acceptUnprotected: true })).toMatchObject({
      trouble: null,
    })
  })

  test('a removed secret is in no file', async () => {
    const calls = callsOf(openSecrets(), ['whsec_abc'])
    await calls.registerWebhook(registration)
    await calls.forgetWebhooks(undefined)
    expect(existsSync(path.join(folder, 'webhooks.bin'))).toBe(false)
    expect(openSecrets().secretsFor(SERVICE)).toEqual([])
  })
})

describe('a refusal of the service', () => {
  const callWith = (failure: object) =>
    createAgentCalls(
      {
        journal: {},
        progress: {},
        service: { createWebhookEndpoint: async () => ({ ok: false, failure }) },
      } as never,
      { info: () => {}, warn: () => {}, error: () => {} },
    )('createWebhookEndpoint', { ...endpoint, idempotencyKey: '7f1c6f3e-5a0b-4a53-9a2e-0d7a3f1b2c4d' })
  const rejected = { kind: 'rejected', origin: 'control', status: 400, code: 'x', requestId: 'req_1' }

  test.each([
    [
      { ...rejected, param: 'url', message: 'must be public' },
      'The service does not accept this URL (must be public). Request ID: req_1.',
    ],
    [
      { ...rejected, param: 'events[0]', message: 'unknown' },
      'The service does not accept these events (unknown). Request ID: req_1.',
    ],
    [
      { kind: 'conflict', code: 'limit', message: 'too many endpoints', requestId: 'req_2' },
      'The service refuses to register this endpoint (too many endpoints). Request ID: req_2.',
    ],
    [
      { ...rejected, param: null, status: 422, message: 'too many endpoints' },
      'The service refuses to register this endpoint (too many endpoints). Request ID: req_1.',
    ],
    [
      { ...rejected, param: null, status: 400, message: '' },
      'The service refuses to register this endpoint (x). Request ID: req_1.',
    ],
  ])('is shown in one sentence and with its request ID: %#', async (failure, message) => {
    expect(await callWith(failure)).toEqual({ ok: false, error: { kind: 'refused', message } })
  })

  test('because of a read-only key is reported as a missing permission', async () => {
    const answer = await callWith({ kind: 'auth', reason: 'not-permitted', message: 'no', requestId: null })
    expect(answer).toMatchObject({ ok: false, error: { kind: 'refused' } })
    expect(JSON.stringify(answer)).toMatch(/lacks write permission/)
  })
})
