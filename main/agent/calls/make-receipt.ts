import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { escapeText } from '../../../shared/escape-text.ts'
import {
  MOST_RECEIPT_BYTES,
  MOST_RECORDINGS,
  RECEIPT_FORMAT,
  type ReceiptEntry,
  receiptJson,
  sealReceipt,
} from '../../../shared/receipt.ts'
import { receiptCsv } from '../../../shared/receipt-csv.ts'
import type { Journal, ReceiptScope } from '../journal/journal.ts'

const ENTRIES_IN_A_STEP = 50
/** What each takes at least, written down. */
const ENTRY_BYTES = 700
const PART_BYTES = 220

/** There is nothing to write down, or too much of it; the message says what to ask for instead. */
export class NoReceiptError extends Error {}

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex')

const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const described = (scope: ReceiptScope) => {
  switch (scope.kind) {
    case 'ids':
      return { of: 'chosen recordings', since: null, until: null }
    case 'path':
      return { of: scope.path, since: null, until: null }
    case 'session':
      return { of: scope.session, since: null, until: null }
    case 'period':
      return { of: '', since: instant(scope.sinceMs), until: instant(scope.untilMs) }
  }
}

const nothingThere = (scope: ReceiptScope): string => {
  switch (scope.kind) {
    case 'path':
      return `The journal has no recording ${scope.path}.`
    case 'session':
      return `The journal has no recording of session ${scope.session}.`
    case 'ids':
      return 'These recordings are no longer listed.'
    case 'period':
      return 'No recording was found in this period.'
  }
}

/** In steps: a period may have tens of thousands, and between two steps the agent serves everything else. */
export const makeReceipt = async (
  journal: Journal,
  scope: ReceiptScope,
  options: { readonly station: string; readonly format: 'json' | 'csv'; readonly nowMs: number },
): Promise<{ readonly text: string; readonly recordings: number }> => {
  const ids = journal.receipts.ids(scope, MOST_RECORDINGS)
  const tooMuch = `A receipt holds at most ${MOST_RECORDINGS} recordings and ${MOST_RECEIPT_BYTES / 1024 ** 2} MB. Choose a shorter period.`
  if (ids.length > MOST_RECORDINGS) throw new NoReceiptError(tooMuch)
  const recordings: ReceiptEntry[] = []
  let bytes = 0
  for (const [index, id] of ids.entries()) {
    const entry = journal.receipts.entry(id)
    if (entry !== null) recordings.push(entry)
    // Before it is put together, which is done in one go.
    bytes += ENTRY_BYTES + (entry?.parts.length ?? 0) * PART_BYTES
    if (bytes > MOST_RECEIPT_BYTES) throw new NoReceiptError(tooMuch)
    if (index % ENTRIES_IN_A_STEP === 0) await setImmediate()
  }
  if (recordings.length === 0) throw new NoReceiptError(nothingThere(scope))
  const receipt = sealReceipt(
    {
      receipt: RECEIPT_FORMAT,
      made_at: new Date(options.nowMs).toISOString(),
      made_by: 'Sluice',
      station: options.station,
      scope: described(scope),
      recordings,
    },
    sha256OfText,
  )
  const text =
    options.format === 'csv'
      ? receiptCsv(receipt)
      : `${receiptJson(receipt).split('\n').map(escapeText).join('\n')}\n`
  if (Buffer.byteLength(text) > MOST_RECEIPT_BYTES) throw new NoReceiptError(tooMuch)
  return { text, recordings: recordings.length }
}
