import { z } from 'zod'
import { recordingStates } from './status.ts'

/**
 * What a station can show for its recordings: what each is, where it went, and what the service answered. Keys are
 * snake_case because people and their scripts read them. It holds no key and no signed address.
 */

export const RECEIPT_FORMAT = 'sluice-receipt/1'

/** More would be no receipt that anybody reads, and no file that a spreadsheet opens. */
export const MOST_RECORDINGS = 50_000
export const MOST_RECEIPT_BYTES = 200 * 1024 * 1024

const hex = z.string().regex(/^[0-9a-f]{64}$/)
const instant = z.iso.datetime()
const count = z.int().min(0)
/** Longer than any path, name or header that Sluice keeps. */
const text = z.string().max(32_768)

const part = z.strictObject({ number: z.int().min(1), bytes: count, sha256: hex, etag: text.nullable() })
const request = z.strictObject({ at: instant, state: z.enum(recordingStates), id: text })

/** By this PC's clock. `null`: it has not come that far, or the step was not needed. */
const times = z.strictObject({
  found: instant,
  hashed: instant.nullable(),
  session_created: instant.nullable(),
  completed: instant.nullable(),
  processed: instant.nullable(),
})

const entry = z.strictObject({
  path: text,
  site: text,
  device: text.nullable(),
  bytes: count,
  sha256: hex.nullable(),
  state: z.enum(recordingStates),
  /** False: newer content had taken its path when the receipt was written. */
  current: z.boolean(),
  /** As the station calls it: its address, unless the organisation was changed later. */
  service: text.nullable(),
  session_id: text.nullable(),
  times,
  /** §2.2 `created_at` and `processed_at`, by the service's clock. */
  service_times: z.strictObject({ created: text.nullable(), processed: text.nullable() }),
  /** When Sluice took the file from its folder, and where it went; neither in a receipt that was written before. */
  removed_at: instant.optional(),
  moved_to: text.optional(),
  parts: z.array(part).max(10_000),
  request_ids: z.array(request).max(100),
})

const scope = z.strictObject({
  /** What was asked for, in words: a path, a session or a number of recordings; empty for a period. */
  of: text,
  since: instant.nullable(),
  until: instant.nullable(),
})

const contentSchema = z.strictObject({
  receipt: z.literal(RECEIPT_FORMAT),
  made_at: instant,
  made_by: text,
  station: text,
  scope,
  recordings: z.array(entry).max(MOST_RECORDINGS),
})

export const receiptSchema = contentSchema.extend({
  digest: z.strictObject({ algorithm: z.literal('sha256'), value: hex }),
})

export type ReceiptContent = z.output<typeof contentSchema>
export type Receipt = z.output<typeof receiptSchema>
export type ReceiptEntry = z.output<typeof entry>
export type ReceiptPart = z.output<typeof part>
export type ReceiptRequest = z.output<typeof request>

/** Hex digest of a text in UTF-8: each process has its own way to it. */
export type Sha256 = (text: string) => string

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The one order of a receipt, so that a spreadsheet may sort its rows and change nothing. */
export const inOrder = (entries: readonly ReceiptEntry[]): ReceiptEntry[] =>
  entries.toSorted(
    (a, b) =>
      compare(a.times.found, b.times.found) ||
      compare(a.path, b.path) ||
      compare(a.session_id ?? '', b.session_id ?? ''),
  )

const sortedKeys = (_name: string, value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => compare(a, b)))

const EMPTY_LIST = '"recordings":[]'

/**
 * What is digested: everything but the digest, as JSON without white space, the keys of every object in the order of
 * their code units and recordings as `inOrder` has them. For what a receipt holds this is RFC 8785. In pieces, one for
 * each recording: all of it at once would keep a process for seconds.
 */
export function* canonicalPieces({ recordings, ...rest }: ReceiptContent): Generator<string> {
  const around = JSON.stringify({ ...rest, recordings: [] }, sortedKeys)
  // Within a text its quotation marks would be escaped.
  const at = around.indexOf(EMPTY_LIST) + EMPTY_LIST.length - 1
  yield around.slice(0, at)
  for (const [index, each] of inOrder(recordings).entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(each, sortedKeys)}`
  yield around.slice(at)
}

/** Tells an accident and a careless edit. Whoever means to deceive can compute a new digest: it is no signature. */
export const isUnchanged = ({ digest, ...content }: Receipt, sha256: Sha256): boolean =>
  sha256([...canonicalPieces(content)].join('')) === digest.value

const EMPTY_INDENTED = '"recordings": []'

/** `JSON.stringify(receipt, null, 2)`, in pieces as above. */
export function* receiptJsonPieces({ recordings, ...rest }: Receipt): Generator<string> {
  const { receipt, made_at, made_by, station, scope: asked, digest } = rest
  const ordered = { receipt, made_at, made_by, station, scope: asked, recordings: [], digest }
  const around = JSON.stringify(ordered, null, 2)
  const at = around.indexOf(EMPTY_INDENTED) + EMPTY_INDENTED.length - 1
  yield around.slice(0, at)
  for (const [index, each] of recordings.entries())
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(each, null, 2).replaceAll('\n', '\n    ')}`
  yield `${recordings.length === 0 ? '' : '\n  '}${around.slice(at)}\n`
}
