import fc from 'fast-check'

/** Input of an attacker or a broken program. */

const words = [
  ...['', ' ', '\0', '\n', '\r\n', '\t', '\u001b[2J', '\u009b31m', '\u007f', '\ufeff', '\u2028'],
  ...[
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200b',
    '\u200f',
    '\ud800',
    '\udfff',
    '\ud83d',
    '😀',
    'e\u0301',
    '\u{e0041}',
  ],
  ...['/', '\\', '..', '../', '..\\', '/etc/passwd', 'C:\\', '\\\\host\\share', '//', ':', 'CON', '.', '~'],
  ...['*', '**', '?', '[', ']', '{', '}', '(', ')', '!(', '+(', '|', '^', '$', '[[:alpha:]]', '{1..9}'],
  ...['%', '%00', '%2e%2e%2f', '%25', '\\u0000', '\\"', '"', "'", '`', '<', '>', '&', ';', '#', '=', '@'],
  ...[
    '<script>',
    '<!doctype html>',
    '<Code>',
    '</Code>',
    '<Message>',
    '</Message>',
    '"code":"',
    '"message": "',
  ],
  ...['checksum', 'digest', 'has expired', 'mismatch', 'ExpiredToken', 'BadDigest', 'SlowDown'],
  ...['__proto__', 'constructor', 'toString', 'null', 'true', '-1', '1e309', '0x10', '٣', 'NaN'],
  ...[
    'http://',
    'https://',
    'file:',
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
  ],
  ...[':443', 'user:pw@', '?X-Amz-SignedHeaders=', 'x-amz-checksum-sha256', 'bearer ', 'token=', 'svc_live_'],
  ...[
    '--',
    '-',
    '--data',
    '--hidden',
    '--inspect',
    '--remote-debugging-port=0',
    '--no-sandbox',
    '2026-01-01',
  ],
]

const anyCodeUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units))

const joinedWords = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })), { maxLength: 8 })
  .map((pieces) => pieces.join(''))

/** One piece of text, repeated. Repetition makes a bad regular expression slow. */
const repeatedText = (maxChars: number) =>
  fc
    .tuple(
      fc.constantFrom(...words),
      fc.oneof(fc.constant(''), fc.constantFrom(...words)),
      fc.oneof(fc.constant(maxChars), fc.integer({ min: 1, max: maxChars })),
    )
    .map(([first, second, chars]) => {
      const unit = first + second || 'x'
      return unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)
    })

export const hostileText = fc.oneof(
  { weight: 8, arbitrary: anyCodeUnits },
  { weight: 16, arbitrary: joinedWords },
  { weight: 1, arbitrary: repeatedText(4_096) },
)

/** A text of up to 65,536 characters. Sluice reads at most 64 KiB of the body of an error. */
export const longText = repeatedText(65_536)

const scalar = fc.oneof(
  hostileText,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, 0, -0, -1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY),
)

/** Values that can cross a process or network boundary. They may be cyclic, but contain no functions. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 3, arbitrary: fc.array(scalar, { maxLength: 5 }) },
  { weight: 3, arbitrary: fc.dictionary(hostileText, scalar, { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.object({ maxDepth: 3, maxKeys: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('cycle', 'deep', 'date', 'map', 'bytes', 'bigint', 'bare').map((kind) => {
      switch (kind) {
        case 'cycle': {
          const cyclic: Record<string, unknown> = { id: 1 }
          cyclic.self = cyclic
          return cyclic
        }
        case 'deep': {
          let nested: unknown = 1
          for (let level = 0; level < 500; level += 1) nested = level % 2 === 0 ? [nested] : { a: nested }
          return nested
        }
        case 'date':
          return new Date(Number.NaN)
        case 'map':
          return new Map([[{}, new Set([1])]])
        case 'bytes':
          return new Uint8Array(8)
        case 'bigint':
          return 10n ** 30n
        default:
          return Object.assign(Object.create(null), { path: 'x' })
      }
    }),
  },
)

/** The valid value with one random change, at any depth. */
export const mutationsOf = (validValue: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fc.constantFrom(...placesIn(validValue)),
      hostileValue,
      fc.constantFrom('replace', 'remove', 'add'),
      hostileText,
    )
    .map(([place, value, kind, name]) => applyChange(validValue, place, { value, kind, name }))

type Change = { readonly value: unknown; readonly kind: string; readonly name: string }
type Place = readonly (string | number)[]

const placesIn = (value: unknown): Place[] => {
  if (typeof value !== 'object' || value === null) return [[]]
  return [
    [],
    ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner).map((place) => [key, ...place])),
  ]
}

const applyChange = (value: unknown, [key, ...rest]: Place, change: Change): unknown => {
  if (key === undefined) {
    if (change.kind !== 'add' || typeof value !== 'object' || value === null) return change.value
    return Array.isArray(value) ? [...value, change.value] : { ...value, [change.name]: change.value }
  }
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >
  if (rest.length === 0 && change.kind === 'remove') delete copy[key]
  else copy[key] = applyChange(copy[key], rest, change)
  return copy
}
