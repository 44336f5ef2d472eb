import {
  isUnchanged,
  MAX_RECEIPT_BYTES,
  RECEIPT_FORMAT,
  type Receipt,
  receiptSchema,
} from '../../../shared/status/receipt.ts'
import { decodeText } from '../../../shared/words/decode-text.ts'
import { NotAFileError, readPlainFile, TooLargeError } from '../../local-files/plain-file.ts'
import { describeCode, systemCode } from '../platform/files/file-failure.ts'
import { sha256OfText } from './make-receipt.ts'

/** The file is not a readable receipt. The message gives the reason. */
export class NotAReceiptError extends Error {}

const readBytes = (file: string): Buffer => {
  try {
    return readPlainFile(file, MAX_RECEIPT_BYTES).bytes
  } catch (error) {
    if (error instanceof NotAFileError) throw new NotAReceiptError(`${file} is not a file.`)
    if (error instanceof TooLargeError)
      throw new NotAReceiptError(`${file} is too large for a receipt of Sluice.`)
    const code = systemCode(error)
    if (code === null) throw error
    throw new NotAReceiptError(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${describeCode(code)}.`,
    )
  }
}

/** The first column of a receipt in CSV, as Sluice or a spreadsheet writes it. */
const CSV_HEADER = /^"?path"?[,;\t]/

const parseJson = (text: string, file: string): unknown => {
  if (CSV_HEADER.test(text))
    throw new NotAReceiptError(
      `${file} is a receipt in CSV, which is for spreadsheets only. Give the receipt in JSON.`,
    )
  try {
    return JSON.parse(text)
  } catch {
    const isReceiptStart = text.trimStart().startsWith('{') && text.includes('"sluice-receipt/')
    throw new NotAReceiptError(
      isReceiptStart ? `${file} is an incomplete or damaged receipt.` : `${file} is not a receipt of Sluice.`,
    )
  }
}

const formatOf = (value: unknown): string | null => {
  const format = (value as { readonly receipt?: unknown } | null)?.receipt
  return typeof format === 'string' && format.startsWith('sluice-receipt/') ? format : null
}

/**
 * Throws `NotAReceiptError` if the file is no receipt. `unchanged`: the digest matches the content. This reveals
 * careless edits, but not a forgery: a forger can compute a new digest.
 */
export const readReceipt = async (
  file: string,
): Promise<{ readonly receipt: Receipt; readonly unchanged: boolean }> => {
  const decoded = decodeText(readBytes(file))
  if (!decoded.ok) throw new NotAReceiptError(`${file} is not a receipt of Sluice: it is ${decoded.fault}.`)
  const value = parseJson(decoded.text, file)
  const format = formatOf(value)
  if (format === null) throw new NotAReceiptError(`${file} is not a receipt of Sluice.`)
  if (format !== RECEIPT_FORMAT)
    throw new NotAReceiptError(
      `${file} has the format ${format}, but this Sluice reads ${RECEIPT_FORMAT}. Check the file with the version of Sluice that wrote it.`,
    )
  const parsed = receiptSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue?.path.map(String).join('.') || 'the receipt'
    throw new NotAReceiptError(`${file} was changed after Sluice wrote it: ${field} is invalid.`)
  }
  return { receipt: parsed.data, unchanged: isUnchanged(parsed.data, sha256OfText) }
}
