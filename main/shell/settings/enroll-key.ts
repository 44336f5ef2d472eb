import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { readKeyFile } from '../../managed/key-file.ts'
import { Refused } from '../calls/answer-call.ts'
import type { Secrets } from './secrets.ts'

/**
 * Moves a key from a file to the keychain, once: what is rolled out to fifty PCs stands in clear on none of them
 * afterwards. Gives a sentence; throws one where nothing was stored.
 */
export const enrollKey = (file: string, address: string | undefined, secrets: Secrets): string => {
  if (address === undefined)
    throw new Refused(
      'No address of a service is set, so nobody knows whose key it is. Set service.base_url first.',
    )
  // On Windows from any drive: the person names it now, and a USB stick knows no owners.
  const read = readKeyFile(file, (_question, readIt) => readIt())
  if (!read.ok) throw new Refused(read.sentence)
  const { available, protects } = secrets.describe()
  if (!available || !protects)
    throw new Refused(
      'This PC has no keychain that protects a key, so nothing was stored. Use service.api_key_file instead.',
    )
  secrets.save(address, read.key, false)
  try {
    overwrite(file, Buffer.byteLength(read.key))
    rmSync(file)
  } catch {
    return `The key for ${address} is stored in the keychain, but ${file} could not be removed. Remove it.`
  }
  return `The key for ${address} is stored in the keychain, and ${file} is removed.`
}

/** As far as a disk allows it: a removed file's bytes stay where they were. */
const overwrite = (file: string, atLeast: number): void => {
  const handle = openSync(file, 'r+')
  try {
    writeSync(handle, Buffer.alloc(Math.max(atLeast, 512)), 0, undefined, 0)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
