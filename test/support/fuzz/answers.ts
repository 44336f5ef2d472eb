import fc from 'fast-check'
import {
  dateMsOf,
  rateLimitOf,
  requestIdOfHeaders,
  retryAfterMsOf,
} from '../../../main/agent/service/answer-headers.ts'
import {
  createdAnswer,
  deletedAnswer,
  describeMismatch,
  listAnswer,
  sessionAnswer,
  webhookAnswer,
} from '../../../main/agent/service/answers.ts'
import { failureOfError } from '../../../main/agent/service/errors.ts'
import type { Answer } from '../../../main/agent/service/exchange.ts'
import { createScrub } from '../../../main/agent/service/scrub.ts'
import { describeBody, failureOfStatus } from '../../../main/agent/service/status-failures.ts'
import { failureOfStorage } from '../../../main/agent/service/storage-failures.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { hostileText, hostileValue, longText, mutationsOf } from './hostile-input.ts'

const KEY = '7f-Odd!Key*of~this.station'
const SIGNATURE = 'f00dfeedf00dfeedf00dfeed'
const scrub = createScrub([KEY])

const session = {
  id: 'ses_1',
  status: 'uploading',
  site: 'Hall 3',
  bytes: 10,
  channels: ['a', 'b'],
  issues: [{ code: 'gap', severity: 'warning', channel: 'a' }],
  upload: {
    part_size: 8_000_000,
    expires_at: '2030-01-01T00:00:00Z',
    parts: [
      { number: 1, url: `https://s.example/p/1?X-Amz-Signature=${SIGNATURE}` },
      { number: 2, url: `https://s.example/p/2?X-Amz-Signature=${SIGNATURE}` },
    ],
  },
}
const page = { data: [session, session], has_more: true, next_cursor: 'c' }
const schemas = [createdAnswer, sessionAnswer, listAnswer, deletedAnswer, webhookAnswer]

export const answerSchemas = (runs: number): FuzzTarget<unknown> => ({
  name: 'answers: the schemas',
  runs,
  inputs: fc.oneof(
    hostileValue,
    mutationsOf(session),
    mutationsOf(page),
    mutationsOf({ id: 'ses_1', object: 'session', deleted: true }),
    mutationsOf({ id: 'we_1', secret: 'whsec_1' }),
  ),
  check: (value) => {
    for (const schema of schemas) {
      const result = schema.safeParse(value)
      // A mismatch names the field, never the value.
      if (!result.success && scrub(describeMismatch(result.error)).includes(SIGNATURE))
        throw new Error('a signed URL is revealed')
    }
  },
})

const error = {
  error: {
    type: 'invalid_request',
    code: 'site_unknown',
    message: `The key ${KEY} of svc_live_${SIGNATURE} was refused.`,
    param: 'site',
    request_id: 'req_1',
  },
}
const xml = (code: string, message: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

const body = fc.oneof(
  { weight: 20, arbitrary: hostileText.map((text) => Buffer.from(text)) },
  { weight: 10, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 20, arbitrary: mutationsOf(error).map(asBytes) },
  { weight: 20, arbitrary: fc.tuple(hostileText, hostileText).map(([a, b]) => Buffer.from(xml(a, b))) },
  { weight: 1, arbitrary: longText.map((text) => Buffer.from(xml('x', text)).subarray(0, 65_536)) },
  { weight: 1, arbitrary: longText.map((text) => asBytes({ error: { type: 'x', message: text } })) },
)

function asBytes(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value) ?? '')
  } catch {
    return Buffer.from('{')
  }
}

const headerNames = [
  ...['content-type', 'location', 'retry-after', 'date', 'age', 'request-id', 'x-amz-request-id'],
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
]
const headerValue = fc.oneof(
  hostileText,
  fc.integer().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.constantFrom(
    'text/html',
    'application/json',
    'Sun, 99 Foo 2026 99:99:99 GMT',
    `https://a.example/?s=${KEY}`,
  ),
)
const headers = fc.dictionary(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...headerNames) }, { weight: 1, arbitrary: hostileText }),
  fc.oneof(
    { weight: 5, arbitrary: headerValue },
    { weight: 1, arbitrary: fc.array(headerValue, { maxLength: 3 }) },
  ),
  { maxKeys: 6 },
)
const status = fc.oneof(
  fc.constantFrom(301, 400, 401, 403, 404, 407, 408, 409, 412, 422, 429, 500, 502, 503),
  fc.integer({ min: 100, max: 999 }),
)

/** The failure as text, without its request ID, because Sluice does not remove the key from this ID. */
const textOf = (failure: object): string =>
  JSON.stringify(failure, (name, value) => (name === 'requestId' ? undefined : value))

const expectNoSecret = (text: string): void => {
  if (text.includes(KEY) || text.includes(SIGNATURE)) throw new Error('a secret is revealed')
}

const expectTimeOrNull = (value: number | null): void => {
  if (value !== null && (Number.isNaN(value) || value < 0)) throw new Error(`not a time: ${value}`)
}

export const refusals = (runs: number): FuzzTarget<Answer> => ({
  name: 'answers: status, headers and body',
  runs,
  inputs: fc.record({ status, headers, body, isWhole: fc.boolean() }) as fc.Arbitrary<Answer>,
  check: (answer) => {
    expectNoSecret(textOf(failureOfStatus(answer, scrub, 0)))
    expectNoSecret(textOf(failureOfStorage(answer, scrub, 0)))
    describeBody(answer)
    requestIdOfHeaders(answer.headers)
    dateMsOf(answer.headers)
    expectTimeOrNull(retryAfterMsOf(answer.headers, 0))
    expectTimeOrNull(rateLimitOf(answer.headers, 0)?.resetInMs ?? null)
  },
})

type ConnectionError = { readonly message: string; readonly code: unknown; readonly isWrapped: boolean }

export const connectionErrors = (runs: number): FuzzTarget<ConnectionError> => ({
  name: 'answers: connection errors',
  runs,
  inputs: fc.record({
    message: fc.oneof(hostileText, fc.constant(`Proxy response (407) !== 200 ${KEY}`)),
    code: fc.oneof(fc.constantFrom('ECONNRESET', 'CERT_HAS_EXPIRED', 'UND_ERR_SOCKET'), hostileValue),
    isWrapped: fc.boolean(),
  }),
  check: ({ message, code, isWrapped }) => {
    const thrown = Object.assign(new Error(message), { code })
    const outer = isWrapped ? new Error('outer', { cause: thrown }) : thrown
    const context = { origin: 'control', host: 's.example', scrub, trustProblem: null } as const
    expectNoSecret(textOf(failureOfError(outer, context)))
  },
})
