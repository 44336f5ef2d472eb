import path from 'node:path'
import { readBook, type WebhookBook } from '../../shared/settings/webhook-book.ts'
import { writeDurably } from '../local-files/durable-file.ts'
import { makeFolder } from '../local-files/make-folder.ts'
import { isDenied, missingRights } from '../local-files/missing-rights.ts'
import { type OpenedFile, readWithRights } from '../managed/rights.ts'

/**
 * A station without a keychain stores its webhook secrets in this file beside the journal. On Linux and macOS, only
 * the owner can read the file. On Windows, the file inherits the rights of the data folder.
 */
export const webhooksFile = (dataFolder: string): string => path.join(dataFolder, 'webhooks.json')

const MAX_BYTES = 1024 * 1024

const readIfThere = (file: string): OpenedFile | null => {
  try {
    return readWithRights(file, MAX_BYTES)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (isDenied(error)) throw new Error(missingRights(file))
    throw new Error(`${file} cannot be read.`)
  }
}

/**
 * Null if there is no file. Throws an Error for the user if this user cannot read the file, or if the file is damaged.
 * On Linux and macOS, also throws if other users can read or change the file.
 */
export const readWebhooksFile = (dataFolder: string): WebhookBook | null => {
  const file = webhooksFile(dataFolder)
  const openedFile = readIfThere(file)
  if (openedFile === null) return null
  const { bytes, rights } = openedFile
  if (rights !== null && (rights.groupReads || rights.groupWrites || rights.othersRead || rights.othersWrite))
    throw new Error(
      `${file} holds webhook secrets, and others can read or change it. Restrict access: chmod 600 ${file}`,
    )
  const book = readBook(bytes.toString('utf8'))
  if (book === null) throw new Error(`${file} is damaged. Remove it, and register the endpoint again.`)
  return book
}

export const writeWebhooksFile = (dataFolder: string, book: WebhookBook): void => {
  makeFolder(dataFolder)
  writeDurably(webhooksFile(dataFolder), `${JSON.stringify(book, null, 2)}\n`)
}

/**
 * The secrets in `SLUICE_WEBHOOK_SECRET`, for endpoints that were registered elsewhere. During a change of secrets, the
 * variable holds the old and the new one.
 */
export const secretsInEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] => (environment.SLUICE_WEBHOOK_SECRET ?? '').split(/[\s,]+/).filter((one) => one !== '')
