import { expect } from 'vitest'
import { section } from '../rule.ts'
import { expectError } from '../service.ts'

export const rateLimitRules = section('§8', {
  'every answer, even a refusal, has RateLimit-Limit, -Remaining and -Reset': async ({ service }) => {
    const answers = [
      await service.call('GET', '/v1/sessions'),
      await service.call('GET', '/v1/sessions', { key: null }),
      await service.call('GET', '/v1/nothing'),
      await service.call('POST', '/v1/sessions', { raw: 'x' }),
    ]
    for (const { headers } of answers) {
      expect(headers['ratelimit-limit']).toBe('6000')
      expect(Number(headers['ratelimit-remaining'])).toBeLessThan(6_000)
      expect(headers['ratelimit-reset']).toMatch(/^\d+$/)
    }
  },
  'above the limit of a key, answers are 429 rate_limited with Retry-After until the window ends': async ({
    launch,
  }) => {
    const { service } = await launch('--rate-limit', '3', '--control')
    const remaining = []
    for (let n = 0; n < 3; n += 1) {
      const answer = await service.call('GET', '/v1/sessions')
      expect(answer.status).toBe(200)
      remaining.push(answer.headers['ratelimit-remaining'])
    }
    expect(remaining).toEqual(['2', '1', '0'])
    const refusal = await service.call('GET', '/v1/sessions')
    expectError(refusal, 429, 'rate_limited')
    expect(refusal.headers['retry-after']).toBe(refusal.headers['ratelimit-reset'])
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0)
    expect((await service.call('GET', '/v1/sessions', { key: service.sandbox.keys.read })).status).toBe(200)
    await service.operate('POST', '/clock', { offset_s: Number(refusal.headers['retry-after']) })
    expect((await service.call('GET', '/v1/sessions')).status).toBe(200)
  },
})
