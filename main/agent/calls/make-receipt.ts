import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import {
  canonicalPieces,
  MAX_RECEIPT_BYTES,
  MAX_RECEIPT_RECORDINGS,
  RECEIPT_FORMAT,
  type Receipt,
  type ReceiptContent,
  type ReceiptEntry,
  receiptJsonPieces,
  sortEntries,
} from '../../../shared/status/receipt.ts'
import { escapeText } from '../../../shared/words/escape-text.ts'
import { receiptCsvPieces } from '../domain/receipt-csv.ts'
import type { Journal, ReceiptScope } from '../journal/journal.ts'
import { CallRefusedError } from './call-refused.ts'

const ENTRIES_PER_STEP = 50
/** The minimum size of an uploaded recording and of an uploaded part in a JSON receipt. */
const MIN_ENTRY_BYTES = 700
const MIN_PART_BYTES = 220

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex')

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const describeScope = (scope: ReceiptScope) => {
  switch (scope.kind) {
    case 'ids':
      return { of: 'chosen recordings', since: null, until: null }
    case 'path':
      return { of: scope.path, since: null, until: null }
    case 'session':
      return { of: scope.session, since: null, until: null }
    case 'period':
      return { of: '', since: isoOrNull(scope.sinceMs), until: isoOrNull(scope.untilMs) }
  }
}

const noRecordingSentence = (scope: ReceiptScope): string => {
  switch (scope.kind) {
    case 'path':
      return `The journal has no recording ${scope.path}.`
    case 'session':
      return `The journal has no recording of session ${scope.session}.`
    case 'ids':
      return 'The journal no longer has these recordings.'
    case 'period':
      return 'No recording was found in this period.'
  }
}

/** Text between two turns of the event loop. Counted in bytes, because one recording may have thousands of parts. */
const STEP_BYTES = 1024 * 1024

/** Passes every piece to `consume`, and yields to the event loop in between. */
const consumeInSteps = async (pieces: Iterable<string>, consume: (piece: string) => void): Promise<void> => {
  let bytes = 0
  for (const piece of pieces) {
    consume(piece)
    bytes += piece.length
    if (bytes < STEP_BYTES) continue
    bytes = 0
    await setImmediate()
  }
}

const escapeLines = (piece: string): string => piece.split('\n').map(escapeText).join('\n')

/**
 * Builds the receipt in steps, because a period may have tens of thousands of recordings and the agent must stay
 * responsive.
 */
export const makeReceipt = async (
  journal: Journal,
  scope: ReceiptScope,
  options: {
    readonly station: string
    readonly format: 'json' | 'csv'
    readonly nowMs: number
    readonly maxBytes: number
  },
): Promise<{ readonly pieces: readonly string[]; readonly recordings: number }> => {
  const { maxBytes } = options
  const ids = journal.receipts.ids(scope, MAX_RECEIPT_RECORDINGS)
  const terminalHint =
    maxBytes < MAX_RECEIPT_BYTES
      ? ` For up to ${MAX_RECEIPT_BYTES / 1024 ** 2} MB, run “sluice receipt” in the terminal.`
      : ''
  const limitSentence = `A receipt holds at most ${MAX_RECEIPT_RECORDINGS} recordings and ${maxBytes / 1024 ** 2} MB. Choose ${scope.kind === 'period' ? 'a shorter period' : 'fewer recordings'}.${terminalHint}`
  if (ids.length > MAX_RECEIPT_RECORDINGS) throw new CallRefusedError(limitSentence)
  const recordings: ReceiptEntry[] = []
  let bytes = 0
  for (const [index, id] of ids.entries()) {
    const entry = journal.receipts.entry(id, hostname())
    if (entry !== null) recordings.push(entry)
    // Check the limit early, before building the text. A CSV receipt is much smaller.
    bytes += MIN_ENTRY_BYTES + (entry?.parts.length ?? 0) * MIN_PART_BYTES
    if (options.format === 'json' && bytes > maxBytes) throw new CallRefusedError(limitSentence)
    if (index % ENTRIES_PER_STEP === 0) await setImmediate()
  }
  if (recordings.length === 0) throw new CallRefusedError(noRecordingSentence(scope))
  const content: ReceiptContent = {
    receipt: RECEIPT_FORMAT,
    made_at: new Date(options.nowMs).toISOString(),
    made_by: 'Sluice',
    station: options.station,
    scope: describeScope(scope),
    recordings: sortEntries(recordings),
  }
  const digest = createHash('sha256')
  await consumeInSteps(canonicalPieces(content), (piece) => digest.update(piece))
  const receipt: Receipt = { ...content, digest: { algorithm: 'sha256', value: digest.digest('hex') } }
  const pieces: string[] = []
  let writtenBytes = 0
  await consumeInSteps(
    options.format === 'csv' ? receiptCsvPieces(receipt) : receiptJsonPieces(receipt),
    (piece) => {
      const text = options.format === 'csv' ? piece : escapeLines(piece)
      pieces.push(text)
      writtenBytes += Buffer.byteLength(text)
      if (writtenBytes > maxBytes) throw new CallRefusedError(limitSentence)
    },
  )
  return { pieces, recordings: recordings.length }
}
