import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSafeAddress, isThisPc } from '../../../../../main/agent/service/addresses.ts'
import { requestIdOfHeaders } from '../../../../../main/agent/service/answer-headers.ts'
import {
  createdAnswer,
  describeMismatch,
  listAnswer,
  sessionAnswer,
} from '../../../../../main/agent/service/answers.ts'
import { checksumHeaderFor } from '../../../../../main/agent/service/checksum-header.ts'

const session = (change: object) => ({ id: 'ses_1', status: 'uploading', ...change })
const upload = (change: object = {}) => ({
  part_size: 10,
  expires_at: '2030-01-01T00:00:00Z',
  parts: [{ number: 1, url: 'https://a.example/?s=1' }],
  ...change,
})

describe('the reader of answers', () => {
  test.each([
    ['2030-01-01T00:00:00Z', Date.UTC(2030, 0, 1)],
    ['2030-01-01T00:00:00.123456789Z', Date.UTC(2030, 0, 1, 0, 0, 0, 123)],
    ['2030-01-01T02:00:00+02:00', Date.UTC(2030, 0, 1)],
    ['2030-01-01T00:00:00', Date.UTC(2030, 0, 1)],
  ])('accepts the expiry %s', (expires_at, expected) => {
    expect(createdAnswer.parse(session({ upload: upload({ expires_at }) })).upload.expiresAtMs).toBe(expected)
  })

  test.each(['', '1', 'tomorrow', '2030-13-01T00:00:00Z', '01/02/2030', 1_900_000_000])(
    'refuses a new session with the expiry %s',
    (expires_at) => {
      expect(createdAnswer.safeParse(session({ upload: upload({ expires_at }) })).success).toBe(false)
    },
  )

  test('redacts a request ID that contains a key or a signed URL', () => {
    const id = 'req_1/svc_live_0123456789abcdef?X-Amz-Signature=deadbeefcafe'
    expect(requestIdOfHeaders({ 'request-id': id })).not.toMatch(/0123456789|deadbeef/)
    expect(requestIdOfHeaders({ 'x-amz-request-id': id })).not.toMatch(/0123456789|deadbeef/)
    expect(requestIdOfHeaders({ 'request-id': 'req_0a/B-1.2=' })).toBe('req_0a/B-1.2=')
  })

  test("redacts the service's issues before they are shown", () => {
    const detail =
      'GET https://s.example/p/1?X-Amz-Signature=deadbeefcafe with svc_live_0123456789abcdef failed'
    const issues = [{ code: detail, severity: 'error', channel: detail, detail }]
    const issuesRead = sessionAnswer.parse(session({ status: 'failed', issues })).issues
    expect(issuesRead[0]?.detail).toContain('https://s.example/p/1?')
    expect(JSON.stringify(issuesRead)).not.toMatch(/deadbeef|0123456789/)
  })

  test('ignores an invalid `upload` field of a session that is no longer uploading', () => {
    const broken = upload({ part_size: 'eight' })
    expect(sessionAnswer.safeParse(session({ upload: broken })).success).toBe(false)
    expect(sessionAnswer.parse(session({ status: 'processing', upload: broken })).upload).toBeNull()
    expect(sessionAnswer.parse(session({ upload: null })).upload).toBeNull()
    expect(sessionAnswer.parse(session({ upload: upload({ parts: [] }) })).upload?.parts).toEqual([])
  })

  test('names the field of a mismatch, never its value', () => {
    const url = 'http://a.example/?signature=deadbeef'
    const result = sessionAnswer.safeParse(session({ upload: upload({ parts: [{ number: 1, url }] }) }))
    const text = result.success ? '' : describeMismatch(result.error)
    expect(text).toContain('upload.parts.0.url')
    expect(text).not.toContain('deadbeef')
  })

  test('never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (anything, inside) => {
        for (const schema of [createdAnswer, sessionAnswer, listAnswer]) {
          schema.safeParse(anything)
          schema.safeParse(session({ upload: inside, issues: inside, channels: inside, bytes: inside }))
          schema.safeParse({ data: inside, has_more: true, next_cursor: inside })
        }
      }),
    )
  })
})

test.each([
  ['https://a.example/p?x=1', true],
  ['http://127.0.0.1:9/p', true],
  ['http://localhost/p', true],
  ['http://[::1]:9/p', true],
  ['http://a.example/p', false],
  ['http://127.0.0.1.a.example/', false],
  ['http://localhost.a.example/', false],
  ['https://user:pw@a.example/', false],
  ['ftp://127.0.0.1/', false],
  ['/p', false],
])('the address %s is safe for requests: %s', (address, expected) => {
  expect(isSafeAddress(address)).toBe(expected)
})

test.each([
  ['https://s.example/p?sig=1', 'x-own-checksum-sha256'],
  ['https://s.example/p?X-Amz-SignedHeaders=host;x-amz-checksum-sha256', 'x-amz-checksum-sha256'],
  ['https://s.example/p?x-acme-signedheaders=Host%3BX-Acme-Checksum-SHA256', 'x-acme-checksum-sha256'],
  ['https://s.example/p?X-Amz-SignedHeaders=host', 'x-own-checksum-sha256'],
])('the checksum header for %s is %s', (url, expected) => {
  expect(checksumHeaderFor(new URL(url), 'X-Own-Checksum-SHA256')).toBe(expected)
})

test.each([
  ['http://127.0.0.1:80', true],
  ['http://127.1', true],
  ['http://2130706433', true],
  ['http://127.200.3.4', true],
  ['http://[::1]', true],
  ['http://[::ffff:127.0.0.1]', true],
  ['http://LOCALHOST', true],
  ['http://localhost.', true],
  ['http://recorder.localhost', true],
  ['http://localhost.example', false],
  ['http://127.0.0.1.example', false],
  ['http://128.0.0.1', false],
  ['http://[::2]', false],
])('a request to %s stays on this PC: %s', (address, staysHere) => {
  expect(isThisPc(new URL(address).hostname)).toBe(staysHere)
})

test('reports the SHA-256 of an unreadable session in a list, because this session may be Sluice’s own', () => {
  const data = [session({ sha256: 'aa' }), { sha256: 'BB' }, { id: 7, sha256: 9 }, 'nonsense']
  const { sessions, unreadable, unreadableSha256 } = listAnswer.parse({ data, has_more: false })
  expect({ ids: sessions.map(({ id }) => id), unreadable, unreadableSha256 }).toEqual({
    ids: ['ses_1'],
    unreadable: 3,
    unreadableSha256: ['bb'],
  })
})
