import { expect } from 'vitest'
import { section } from '../rule.ts'
import { expectError, newSession, patterned, type Service } from '../service.ts'

const body = newSession(patterned(10))
const daySeconds = 24 * 60 * 60

function post(
  service: Service,
  idempotencyKey: string,
  requestBody: unknown = body,
  key = service.sandbox.keys.write,
) {
  return service.call('POST', '/v1/sessions', {
    body: requestBody,
    key,
    headers: { 'idempotency-key': idempotencyKey },
  })
}

export const idempotencyRules = section('§8', {
  'the same Idempotency-Key and body return the original answer and create no second object': async ({
    service,
  }) => {
    const site = `idempotent-${performance.now()}`
    const requestBody = { ...body, site }
    const first = await post(service, 'same', requestBody)
    const second = await post(service, 'same', requestBody)
    expect(second.status).toBe(200)
    expect(second.text).toBe(first.text)
    expect((await service.call('GET', `/v1/sessions?site=${site}`)).json().data).toHaveLength(1)
  },
  'without an Idempotency-Key, the same body sent twice creates two objects': async ({ service }) => {
    const site = `keyless-${performance.now()}`
    const firstSession = await service.create(patterned(10), { site })
    const secondSession = await service.create(patterned(10), { site })
    expect(secondSession.id).not.toBe(firstSession.id)
    expect((await service.call('GET', `/v1/sessions?site=${site}`)).json().data).toHaveLength(2)
  },
  'if an answer is lost, a repeated request returns the same answer': async ({ service }) => {
    const site = `lost-${performance.now()}`
    await service.operate('POST', '/faults', { route: 'create', effect: { kind: 'lose_answer' } })
    await expect(post(service, 'lost', { ...body, site })).rejects.toThrow()
    const secondAnswer = await post(service, 'lost', { ...body, site })
    const listedSessions = (await service.call('GET', `/v1/sessions?site=${site}`)).json().data as {
      id: string
    }[]
    expect(listedSessions.map(({ id }) => id)).toEqual([secondAnswer.json().id])
  },
  'the same Idempotency-Key with a different body or path is a conflict': async ({ service }) => {
    await post(service, 'reused')
    expectError(
      await post(service, 'reused', { ...body, site: 'other' }),
      409,
      'conflict',
      'idempotency_key_reused',
    )
    const headers = { 'idempotency-key': 'reused' }
    const otherPathAnswer = await service.call('POST', '/v1/webhook_endpoints', { body, headers })
    expectError(otherPathAnswer, 409, 'conflict', 'idempotency_key_reused')
  },
  'equal Idempotency-Keys of different organisations do not conflict': async ({ service }) => {
    const ours = await post(service, 'both')
    const theirs = await post(service, 'both', body, service.sandbox.keys.other_org)
    expect(theirs.status).toBe(200)
    expect(theirs.json().id).not.toBe(ours.json().id)
  },
  'of many concurrent requests with one Idempotency-Key, one creates the session; the others get its answer or a conflict':
    async ({ service }) => {
      const site = `at-once-${performance.now()}`
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => post(service, site, { ...body, site })),
      )
      const created = new Set(
        answers.filter(({ status }) => status === 200).map((answer) => answer.json().id),
      )
      expect(created.size).toBe(1)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectError(answer, 409, 'conflict', 'idempotency_in_progress')
      }
      expect((await service.call('GET', `/v1/sessions?site=${site}`)).json().data).toHaveLength(1)
    },
  'completion and the creation of a webhook endpoint accept an Idempotency-Key': async ({ service }) => {
    const bytes = patterned(10)
    const created = await service.create(bytes)
    const etags = await service.putParts(created.upload.parts, bytes, 1_000)
    const headers = { 'idempotency-key': `complete-${created.id}` }
    const first = await service.complete(created.id, etags, { headers })
    const second = await service.complete(created.id, etags, { headers })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).toBe(first.text)
    const hook = {
      body: { url: 'https://example.com', events: ['session.failed'] },
      headers: { 'idempotency-key': `hook-${created.id}` },
    }
    const firstHook = await service.call('POST', '/v1/webhook_endpoints', hook)
    const secondHook = await service.call('POST', '/v1/webhook_endpoints', hook)
    expect(secondHook.text).toBe(firstHook.text)
  },
  'a completion repeated with the same Idempotency-Key gets the same checksum_mismatch, with the same request ID':
    async ({ service }) => {
      const created = await service.create(patterned(10))
      const etags = await service.putParts(created.upload.parts, patterned(10, 3), 1_000)
      const headers = { 'idempotency-key': `mismatch-${created.id}` }
      const first = await service.complete(created.id, etags, { headers })
      const second = await service.complete(created.id, etags, { headers })
      expectError(first, 409, 'conflict', 'checksum_mismatch')
      expectError(second, 409, 'conflict', 'checksum_mismatch')
      expect(second.text).toBe(first.text)
    },
  'an Idempotency-Key survives a restart, and expires after 24 hours': async ({
    launchWith,
    createFolder,
  }) => {
    const data = await createFolder()
    const flags = ['--data', data, '--min-part-size', '1000', '--control']
    const before = await launchWith({}, ...flags)
    const first = await post(before.service, 'kept')
    await before.sandbox.kill()
    const { service } = await launchWith({}, ...flags)
    expect((await post(service, 'kept')).text).toBe(first.text)
    await service.operate('POST', '/clock', { offset_s: daySeconds - 60 })
    expect((await post(service, 'kept')).json().id).toBe(first.json().id)
    await service.operate('POST', '/clock', { offset_s: daySeconds + 60 })
    expect((await post(service, 'kept')).json().id).not.toBe(first.json().id)
  },
  'a request that was refused as malformed can be corrected and repeated with the same Idempotency-Key':
    async ({ service }) => {
      expectError(await post(service, 'corrected', { ...body, bytes: -1 }), 400, 'invalid_request')
      expect((await post(service, 'corrected')).status).toBe(200)
    },
  'an Idempotency-Key that is empty, too long or not visible ASCII is 400 with param': async ({
    service,
  }) => {
    for (const key of ['', 'x'.repeat(256), 'a b', 'é']) {
      expectError(await post(service, key), 400, 'invalid_request', 'parameter_invalid', 'Idempotency-Key')
    }
  },
})
