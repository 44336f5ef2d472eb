import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createScrub } from '../../../../main/agent/service/scrub.ts'
import { createRedact, redact, redactJson } from '../../../../shared/redaction/redact.ts'
import { isLong } from '../../../support/runs.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** A secret that is long enough that no text contains it by chance. */
const anySecret = fc.string({ unit: fc.constantFrom(...letters), minLength: 12, maxLength: 40 })

const encodeTwice = (text: string) => encodeURIComponent(encodeURIComponent(text))
const escapeAll = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
const asJson = (text: string) => JSON.stringify(text)
const asJsonTwice = (text: string) => JSON.stringify(JSON.stringify({ text }))
const escapeSlashes = (text: string) => text.replaceAll('/', '\\/')
const escapeUnicode = (text: string) =>
  text.replace(/[_&=?]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)

/** Every known way to write a secret. */
const shapes: Readonly<Record<string, (secret: string) => string>> = {
  'a live key': (secret) => `svc_live_${secret}`,
  'a test key': (secret) => `SVC_TEST_${secret}`,
  'a key inside a longer word': (secret) => `xsvc_live_${secret}`,
  'a key with punctuation': (secret) => `svc_live_a:b!${secret}`,
  'an XML element': (secret) => `<Signature>${secret}</Signature>`,
  "a storage's message about a signature": (secret) =>
    `<StringToSign>x</StringToSign><SignatureProvided>${secret}</SignatureProvided>`,
  'a webhook secret': (secret) => `whsec_${secret}`,
  'a bearer header': (secret) => `Authorization: Bearer ${secret}`,
  'a basic header': (secret) => `proxy-authorization: Basic ${secret}==`,
  'a bearer token without its header': (secret) => `bearer   ${secret}:${secret}`,
  'a digest header': (secret) => `Authorization: Digest username="me", response="${secret}"`,
  'the signature header of a delivery': (secret) => `Service-Signature: t=1700000000,v1=${secret}`,
  'a cookie': (secret) => `Set-Cookie: a=b; session=${secret}; Path=/`,
  'a storage header': (secret) => `x-amz-security-token: ${secret}`,
  'a storage header in JSON': (secret) => JSON.stringify({ 'X-Goog-Signature': secret }),
  'a signed URL': (secret) => `https://s.example/p/1?X-Amz-Signature=${secret}&partNumber=3`,
  'a signed URL without host': (secret) => `/p/1?s=${secret}`,
  'an unknown query': (secret) => `https://s.example/p/1?${secret}`,
  'a fragment': (secret) => `https://s.example/p/1#${secret}`,
  'a fragment without host': (secret) => `/back#state=1&access_token=${secret}`,
  'a proxy with a password': (secret) => `http://user:${secret}@proxy.example:3128`,
  'a proxy with a slash in its password': (secret) => `http://user:a/${secret}#x@proxy.example:3128/`,
  'a proxy without a scheme': (secret) => `user:${secret}@proxy.example:3128`,
  'a proxy with a missing slash': (secret) => `http:/user:${secret}@proxy.example:3128`,
  'a proxy with backslashes': (secret) => `proxy=http:\\\\user:${secret}@proxy.example`,
  'a proxy that starts with two slashes': (secret) => `//user:${secret}@proxy.example:3128/`,
  'a URL inside a URL': (secret) => `https://a.example/go/socks5://u:${secret}@b.example`,
  'an access token': (secret) => `access_token=${secret}`,
  'a key after its field name': (secret) => `api_key: ${secret}`,
  'a key after its field name, in code': (secret) => `apiKey => '${secret}'`,
  'a key after its field name, in JSON': (secret) => JSON.stringify({ api_key: secret }),
  'a password with a quote': (secret) => JSON.stringify({ password: `a"${secret}` }),
  'a password with a quote, in JSON in JSON': (secret) =>
    JSON.stringify(JSON.stringify({ password: `a"b\\"${secret}`, next: 1 })),
  'a token with its scheme': (secret) => `token: Bearer ${secret}`,
  'a list of tokens': (secret) => `{"tokens": ["x", "${secret}"]}`,
}
const encodings = [
  (text: string) => text,
  encodeURIComponent,
  encodeTwice,
  escapeAll,
  asJson,
  asJsonTwice,
  escapeSlashes,
  escapeUnicode,
]
const places = [
  (text: string) => text,
  (text: string) => `before ${text} after`,
  (text: string) => `{"error":{"message":"${text}"}}`,
  (text: string) => `<p>${text}</p>`,
  (text: string) => `a line\n${text}\nanother`,
  (text: string) => `('${text}')`,
  (text: string) => `100% of %zz ${text}`,
]

/** Returns the text, followed by everything that anyone could decode from it. */
const decodeAll = (text: string): string => {
  let all = text
  let layer = text
  for (let level = 0; level < 6; level += 1) {
    layer = layer
      .replace(/%([0-9a-f]{2})/gi, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\u([0-9a-f]{4})/gi, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll('\\', '')
    all += `\n${layer}`
  }
  return all
}

describe('a planted secret is removed', () => {
  test.each(Object.entries(shapes))('%s', (_, shape) => {
    fc.assert(
      fc.property(
        anySecret,
        fc.constantFrom(...encodings),
        fc.constantFrom(...places),
        (secret, encode, place) => {
          expect(decodeAll(redact(place(encode(shape(secret)))))).not.toContain(secret)
        },
      ),
      { numRuns: 120 },
    )
  })

  it('by its value, even if it is URL-encoded once or twice', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...letters, ...'!*~.$&/+=%?#@:'), minLength: 12, maxLength: 40 }),
        fc.constantFrom((text: string) => text, encodeURIComponent, encodeTwice),
        (secret, encode) => {
          expect(decodeAll(createRedact([secret])(`the key ${encode(secret)} was refused`))).not.toContain(
            secret,
          )
        },
      ),
    )
  })

  it('by the name of its field in JSON, whatever the value is', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 12 }).filter((secret) => secret.trim().length > 8),
        fc.constantFrom('api_key', 'apiKey', 'access_token', 'Authorization', 'x-amz-date', 'proxyPassword'),
        fc.boolean(),
        (secret, name, asList) => {
          const text = redactJson({ facts: { [name]: asList ? [{ deep: secret }] : secret } })
          expect(JSON.parse(text)).toEqual({ facts: { [name]: '[removed]' } })
        },
      ),
    )
  })

  it('in the name of a field', () => {
    expect(redactJson({ svc_live_abcdef: 1 })).toBe('{"svc_live_[removed]":1}')
  })

  it('in one pass, and a second pass changes nothing', () => {
    fc.assert(
      fc.property(anySecret, fc.constantFrom(...Object.values(shapes)), (secret, shape) => {
        const redacted = redact(shape(secret))
        expect(redact(redacted)).toBe(redacted)
      }),
    )
  })
})

describe('text without a secret stays readable', () => {
  it.each([
    'folder D:\\what? nothing/to hide',
    'is it a/b?',
    '/recordings/run #3/12:30@lab.wav',
    'file:///recordings/run#3.wav',
    'C:\\rec@lab\\run.mcap',
    '//nas/rec@lab/run.mcap',
    'the signature > the rest',
    'the key is missing',
    'keys begin with svc_live_ or svc_test_',
    'Unexpected token < in JSON',
    '100%25 of 12%',
    '{"hasKey":true,"protects":false}',
    'https://[::1]:8443/v1/sessions answered 503',
  ])('%s', (line) => expect(redact(line)).toBe(line))

  it('including booleans and null in JSON', () => {
    expect(redactJson({ token: null, hasToken: true, at: new Date(0) })).toBe(
      '{"token":null,"hasToken":true,"at":"1970-01-01T00:00:00.000Z"}',
    )
  })
})

describe('text from the service or the storage', () => {
  const scrub = createScrub(['7f-Odd!Key*of~this.station'])
  it('contains no part of a secret, even if the cut is inside the secret', () => {
    const secrets = [
      '7f-Odd!Key*of~this.station',
      'http://user:Passw0rdPassw0rd@proxy',
      'svc_live_0123456789abcdef',
    ]
    for (const secret of secrets)
      for (let before = 2048 - secret.length - 2; before <= 2050; before += 1) {
        expect(scrub(`${' '.repeat(before)}${secret} tail`)).not.toMatch(/7f-Odd|Passw0|012345/)
      }
  })
  it('is never cut inside a character', () => {
    for (let before = 295; before < 305; before += 1)
      expect(scrub(`${'x'.repeat(before)}${'😀'.repeat(50)}`).isWellFormed()).toBe(true)
  })
  it('is shortened', () => {
    expect(scrub('word '.repeat(10_000)).length).toBeLessThan(310)
    expect(scrub('/'.repeat(40_000))).toBe('…')
  })
})

/** A quadratic pattern exceeds the time limit. */
test('redacts 200,000 characters of any text within the time limit', async () => {
  const units = [
    ...'/\\?#=:@%&"\'`<>.-_ \n\t{}[]+~,;x1',
    ...[
      'svc_live_',
      'whsec_',
      'bearer ',
      'bearer',
      'authorization:',
      'authorization',
      'x-amz-',
      'token=',
      'token',
    ],
    ...[
      'http://',
      'http://a:',
      'http://a@',
      '://',
      'a:b',
      '/?',
      '/?a',
      '?=',
      '%25',
      '%2',
      '%',
      '\\u00',
      '\\u005c',
    ],
    ...[
      '\\"',
      'token="\\',
      'token:"',
      'token\\\\',
      'token  ',
      'token:[',
      'password=\\"\\',
      'sig=&',
      '[removed]',
      '\\/',
    ],
  ]
  const starts = isLong ? ['', 'token:"', 'http://', '/'] : ['']
  const module = new URL('../../../../shared/redaction/redact.ts', import.meta.url).href
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     import(workerData.module).then(({ redact }) => {
       for (const unit of workerData.units)
         for (const start of workerData.starts)
           redact(start + unit.repeat(Math.ceil(2e5 / unit.length)) + '!')
       parentPort.postMessage('done')
     })`,
    { eval: true, workerData: { module, units, starts } },
  )
  try {
    expect(
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    ).toBe('done')
  } finally {
    await worker.terminate()
  }
}, 60_000)
