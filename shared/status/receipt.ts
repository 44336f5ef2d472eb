import { z } from 'zod'
import { inspectionJsonSchema } from './inspection-json.ts'
import { recordingStates } from './status.ts'

/**
 * A receipt proves the uploads of a station: each recording's content, its session and the service's answers. Fields
 * are snake_case because people and scripts read them. A receipt contains no API key and no signed URL.
 */

export const RECEIPT_FORMAT = 'sluice-receipt/1'

/** Beyond these limits, hardly any spreadsheet opens a receipt. */
export const MAX_RECEIPT_RECORDINGS = 50_000
export const MAX_RECEIPT_BYTES = 200 * 1024 * 1024

const hex = z.string().regex(/^[0-9a-f]{64}$/)
const instant = z.iso.datetime()
const count = z.int().min(0)
/** Longer than any path, name or header that Sluice stores. */
const text = z.string().max(32_768)

const part = z.strictObject({ number: z.int().min(1), bytes: count, sha256: hex, etag: text.nullable() })
const request = z.strictObject({ at: instant, state: z.enum(recordingStates), id: text })

/** By this PC's clock. `null`: the recording has not reached the step, or skipped it. */
const times = z.strictObject({
  found: instant,
  hashed: instant.nullable(),
  session_created: instant.nullable(),
  completed: instant.nullable(),
  processed: instant.nullable(),
})

const entry = z.strictObject({
  path: text,
  /** The take that the file belongs to. Absent if the file is a take by itself. */
  take: text.optional(),
  site: text,
  device: text.nullable(),
  bytes: count,
  sha256: hex.nullable(),
  state: z.enum(recordingStates),
  /** False if the path already had newer content when Sluice wrote the receipt. */
  current: z.boolean(),
  /** A name for the service: its address, or another name once a user has accepted a new organisation. */
  service: text.nullable(),
  session_id: text.nullable(),
  times,
  /** §2.2 `created_at` and `processed_at`, by the service's clock. */
  service_times: z.strictObject({ created: text.nullable(), processed: text.nullable() }),
  /** When Sluice removed the file. Absent if Sluice had not removed the file when it wrote the receipt. */
  removed_at: instant.optional(),
  /** The path to which Sluice moved the file. Absent if Sluice deleted the file or has not removed it. */
  moved_to: text.optional(),
  /** The content of the file. Absent if Sluice could not inspect it, or has not yet. */
  inspection: inspectionJsonSchema.optional(),
  /** How the file deviates from the expectation or the usual content of its folder. */
  deviations: z.array(text).max(10_000).optional(),
  /** Differences between the service's findings and the inspection. */
  differences: z.array(text).max(10_000).optional(),
  parts: z.array(part).max(10_000),
  request_ids: z.array(request).max(100),
})

const scope = z.strictObject({
  /** The selection in words: a path, a session or "chosen recordings". Empty for a period. */
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
  recordings: z.array(entry).max(MAX_RECEIPT_RECORDINGS),
})

export const receiptSchema = contentSchema.extend({
  digest: z.strictObject({ algorithm: z.literal('sha256'), value: hex }),
})

export type ReceiptContent = z.output<typeof contentSchema>
export type Receipt = z.output<typeof receiptSchema>
export type ReceiptEntry = z.output<typeof entry>

/** Returns the hex digest of a UTF-8 text. Callers supply this function, because the window has no Node. */
export type Sha256 = (text: string) => string

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The digest uses this order, so a program may reorder the recordings of a receipt without changing its digest. */
export const sortEntries = (entries: readonly ReceiptEntry[]): ReceiptEntry[] =>
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
 * The input of the digest: everything except `digest`, as JSON without white space. Keys are sorted by code unit, and
 * recordings by `sortEntries`. For the values of a receipt, RFC 8785 gives the same text. The text comes in pieces, one
 * per recording, because a single string would block the event loop for seconds.
 */
export function* canonicalPieces({ recordings, ...rest }: ReceiptContent): Generator<string> {
  const frame = JSON.stringify({ ...rest, recordings: [] }, sortedKeys)
  // The search cannot match inside a value, because JSON escapes the quotation marks of values.
  const at = frame.indexOf(EMPTY_LIST) + EMPTY_LIST.length - 1
  yield frame.slice(0, at)
  for (const [index, each] of sortEntries(recordings).entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(each, sortedKeys)}`
  yield frame.slice(at)
}

/** Detects accidental changes and careless edits. The digest is not a signature: a forger can compute a new one. */
export const isUnchanged = ({ digest, ...content }: Receipt, sha256: Sha256): boolean =>
  sha256([...canonicalPieces(content)].join('')) === digest.value

const EMPTY_INDENTED = '"recordings": []'

/** `JSON.stringify(receipt, null, 2)` in pieces, because a single string would block the event loop. */
export function* receiptJsonPieces({ recordings, ...rest }: Receipt): Generator<string> {
  const { receipt, made_at, made_by, station, scope: receiptScope, digest } = rest
  const orderedReceipt = { receipt, made_at, made_by, station, scope: receiptScope, recordings: [], digest }
  const frame = JSON.stringify(orderedReceipt, null, 2)
  const at = frame.indexOf(EMPTY_INDENTED) + EMPTY_INDENTED.length - 1
  yield frame.slice(0, at)
  for (const [index, each] of recordings.entries())
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(each, null, 2).replaceAll('\n', '\n    ')}`
  yield `${recordings.length === 0 ? '' : '\n  '}${frame.slice(at)}\n`
}
