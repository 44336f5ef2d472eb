import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { readBook, type WebhookBook } from '../../../shared/webhook-book.ts'
import { giveToOwner } from '../../data-folder-owner.ts'
import { isDenied, missingRights } from '../../missing-rights.ts'

/** Where a station without a keychain keeps the secrets of its endpoints: beside the journal, for its owner alone. */
export const webhooksFile = (dataFolder: string): string => path.join(dataFolder, 'webhooks.json')

const OTHERS = 0o077

/** Null where there is none. Throws a sentence for a file that others can read, or that is no such file. */
export const readWebhooksFile = (dataFolder: string): WebhookBook | null => {
  const file = webhooksFile(dataFolder)
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (isDenied(error)) throw new Error(missingRights(file))
    throw new Error(`${file} cannot be read.`)
  }
  try {
    if (process.platform !== 'win32' && (fstatSync(handle).mode & OTHERS) !== 0)
      throw new Error(`${file} holds webhook secrets, and others can read it. Close it: chmod 600 ${file}`)
    const book = readBook(readFileSync(handle, 'utf8'))
    if (book === null) throw new Error(`${file} is damaged. Remove it, and register the endpoint again.`)
    return book
  } finally {
    closeSync(handle)
  }
}

/** After a power cut there is the old file or the new one. */
export const writeWebhooksFile = (dataFolder: string, book: WebhookBook): void => {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  const file = webhooksFile(dataFolder)
  const beside = `${file}.new`
  const handle = openSync(beside, 'w', 0o600)
  try {
    const bytes = Buffer.from(`${JSON.stringify(book, null, 2)}\n`)
    for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(beside, file)
  giveToOwner(dataFolder)
}

/** Registered elsewhere, and given here: several while one replaces another. */
export const secretsInEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] => (environment.SLUICE_WEBHOOK_SECRET ?? '').split(/[\s,]+/).filter((one) => one !== '')
