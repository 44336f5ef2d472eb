import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../../../shared/webhook-verifier/verify-webhook.ts'
import { runs } from '../../../support/runs.ts'

const SECRET = 'whsec_of-this-test'
const NOW_MS = Date.parse('2026-11-15T18:00:00.700Z')
const NOW_S = Math.floor(NOW_MS / 1000)

const event = {
  id: 'evt_1',
  type: 'session.processed',
  created_at: '2026-11-15T18:00:00Z',
  data: { object: { id: 'ses_1', object: 'session', status: 'processed', segment_count: 3 } },
}
const body = Buffer.from(JSON.stringify(event))

/** Computes the digest as §6.3 of the contract describes it, without the code under test. */
const digest = (secret: string, t: number | string, raw: Uint8Array) =>
  createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${t}.`), raw]))
    .digest('hex')
const sign = (secret: string, t: number | string, raw: Uint8Array) => `t=${t},v1=${digest(secret, t, raw)}`

const verify = (change: Partial<Parameters<typeof verifyWebhook>[0]> = {}) =>
  verifyWebhook({
    rawBody: body,
    header: sign(SECRET, NOW_S, body),
    secret: SECRET,
    nowMs: NOW_MS,
    ...change,
  })

test('accepts a delivery that the service signed', () => {
  expect(verify()).toEqual({
    ok: true,
    event: {
      id: 'evt_1',
      type: 'session.processed',
      createdAt: '2026-11-15T18:00:00Z',
      object: event.data.object,
    },
  })
})

test('accepts an event of an unknown type with any object', () => {
  const raw = Buffer.from('{"id":"evt_2","type":"slice.frozen","data":{"object":{"anything":[1]}}}')
  expect(verify({ rawBody: raw, header: sign(SECRET, NOW_S, raw) })).toMatchObject({
    ok: true,
    event: { type: 'slice.frozen', createdAt: null, object: { anything: [1] } },
  })
})

describe('the signature', () => {
  test.each([
    ['of a different secret', { header: sign('whsec_another', NOW_S, body) }],
    ['of a different body', { header: sign(SECRET, NOW_S, Buffer.from('{}')) }],
    ['of a body with one more space', { rawBody: Buffer.concat([body, Buffer.from(' ')]) }],
    ['of a different time', { header: sign(SECRET, NOW_S, body).replace(`${NOW_S}`, `${NOW_S + 1}`) }],
    ['without a secret to compare with', { secret: [] }],
    ['made with an empty secret', { secret: '', header: sign('', NOW_S, body) }],
    ['made with an empty secret among others', { secret: [SECRET, ''], header: sign('', NOW_S, body) }],
  ])('%s is refused', (_, change) => {
    expect(verify(change)).toEqual({ ok: false, reason: 'signature-wrong' })
  })

  test('may be made with any of the known secrets, so that one endpoint can replace another', () => {
    expect(verify({ secret: ['whsec_new', SECRET] }).ok).toBe(true)
  })

  test('may be one of several signatures, in a header with unknown fields', () => {
    const other = digest('whsec_another', NOW_S, body)
    const header = `v0=x, t=${NOW_S}, v1=${other}, v1=${digest(SECRET, NOW_S, body)},v2=,y`
    expect(verify({ header }).ok).toBe(true)
  })

  test.each([undefined, null, ''])('is missing if the header is %j', (header) => {
    expect(verify({ header })).toEqual({ ok: false, reason: 'header-missing' })
  })

  test.each([
    ['no signature', `t=${NOW_S}`],
    ['no time', `v1=${'0'.repeat(64)}`],
    ['two times', `t=1,${sign(SECRET, NOW_S, body)}`],
    ['the joined values of two headers', `${sign(SECRET, NOW_S, body)}, ${sign(SECRET, NOW_S, body)}`],
    ['a time that is not an integer', `t=${NOW_S}.5,v1=${'0'.repeat(64)}`],
    ['a time with a sign', sign(SECRET, `+${NOW_S}`, body)],
    ['a time below zero', sign(SECRET, '-5', body)],
    ['capital letters', sign(SECRET, NOW_S, body).toUpperCase()],
    ['a digest in capital letters', `t=${NOW_S},v1=${digest(SECRET, NOW_S, body).toUpperCase()}`],
    ['an incomplete signature', sign(SECRET, NOW_S, body).slice(0, -1)],
    ['a signature with extra digits', `${sign(SECRET, NOW_S, body)}00`],
    ['eleven signatures', `t=${NOW_S}${`,v1=${'0'.repeat(64)}`.repeat(11)}`],
    ['too many characters', `${sign(SECRET, NOW_S, body)},${'x'.repeat(5_000)}`],
  ])('cannot be read from a header with %s', (_, header) => {
    expect(verify({ header })).toEqual({ ok: false, reason: 'header-malformed' })
  })
})

describe('the time of a delivery', () => {
  test.each([
    [-300, 'accepted'],
    [300, 'accepted'],
    [-301, 'too-old'],
    [301, 'too-new'],
  ])('%i seconds from now: %s', (offset, expected) => {
    const result = verify({ header: sign(SECRET, NOW_S + offset, body) })
    expect(result.ok ? 'accepted' : result.reason).toBe(expected)
  })

  test('may differ by the tolerance of the receiver', () => {
    const header = sign(SECRET, NOW_S - 11, body)
    expect(verify({ header, toleranceSeconds: 10 })).toEqual({ ok: false, reason: 'too-old' })
    expect(verify({ header, toleranceSeconds: 11 }).ok).toBe(true)
  })

  test.each([
    ['clock', { nowMs: Number.NaN }],
    ['tolerance', { toleranceSeconds: Number.NaN }],
  ])('is refused if the %s of the receiver is NaN', (_, change) => {
    expect(verify(change).ok).toBe(false)
  })

  test('is checked only after the signature', () => {
    expect(verify({ header: sign('whsec_another', 1, body) })).toEqual({
      ok: false,
      reason: 'signature-wrong',
    })
  })
})

test.each([
  '',
  'null',
  '[]',
  '"evt_1"',
  '{"id":"evt_1","type":"session.processed"}',
  '{"id":"evt_1","type":"session.processed","data":{"object":null}}',
  '{"id":1,"type":"session.processed","data":{"object":{}}}',
  '{"id":"","type":"session.processed","data":{"object":{}}}',
  '{"id":"evt_1","type":"session.processed","data":{"object":[]}}',
  `{"id":"${'x'.repeat(256)}","type":"session.processed","data":{"object":{}}}`,
  '[['.repeat(100_000),
])('a signed body that is not an event is unreadable: %#', (text) => {
  const raw = Buffer.from(text)
  expect(verify({ rawBody: raw, header: sign(SECRET, NOW_S, raw) })).toEqual({
    ok: false,
    reason: 'body-unreadable',
  })
})

test('a signed body that is not UTF-8 is unreadable', () => {
  const raw = Buffer.from([0x7b, 0xff, 0xfe, 0x7d])
  expect(verify({ rawBody: raw, header: sign(SECRET, NOW_S, raw) })).toEqual({
    ok: false,
    reason: 'body-unreadable',
  })
})

test('the verifier never throws, and accepts nothing unsigned', () => {
  const anyHeader = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constant(sign(SECRET, NOW_S, Buffer.from('other'))),
    fc.tuple(fc.nat(), fc.string({ maxLength: 80 })).map(([t, v]) => `t=${t},v1=${v}`),
    fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((d) => `t=${NOW_S},v1=${Buffer.from(d).toString('hex')}`),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), anyHeader, fc.double(), (raw, header, nowMs) => {
      expect(verify({ rawBody: raw, header, nowMs }).ok).toBe(false)
    }),
    { numRuns: runs(1_000) },
  )
})

test('every signed body that is not an event is refused as unreadable', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (raw) => {
        const result = verify({ rawBody: raw, header: sign(SECRET, NOW_S, raw) })
        expect(result).toMatchObject({ ok: false, reason: 'body-unreadable' })
      },
    ),
    { numRuns: runs(1_000) },
  )
})
