import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { CHANGE_FLAGS } from '../../local-files/plain-file.ts'
import { readOpenKeyFile } from '../../managed/key-file.ts'
import { Refused } from '../../station-store/refused.ts'
import type { Secrets } from '../../station-store/secrets.ts'

/**
 * Moves a key from a file to the keychain, so that no PC keeps the key in clear text after a roll-out. Opens the file
 * only once, so that it overwrites the file that it has read. Returns a message for the user. If nothing was stored,
 * throws an error with such a message.
 */
export const enrollKey = (file: string, address: string | undefined, secrets: Secrets): string => {
  if (address === undefined)
    throw new Refused(
      'No service address is set, so Sluice does not know which service the key is for. Set service.base_url first.',
    )
  const handle = openToMove(file)
  try {
    const keyFile = readOpenKeyFile(file, handle)
    if (!keyFile.ok) throw new Refused(keyFile.sentence)
    const { available, protects } = secrets.describe()
    if (!available || !protects)
      throw new Refused(
        'This PC has no keychain that protects a key, so nothing was stored. Use service.api_key_file instead.',
      )
    secrets.save(address, keyFile.key, false)
    return remove(file, handle)
      ? `The key for ${address} is stored in the keychain, and ${file} is removed.`
      : `The key for ${address} is stored in the keychain, but ${file} could not be removed. Remove this file.`
  } finally {
    closeSync(handle)
  }
}

const openToMove = (file: string): number => {
  try {
    return openSync(file, CHANGE_FLAGS)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    switch (code) {
      case 'ENOENT':
        throw new Refused(`The key file ${file} is missing.`)
      case 'ELOOP':
        throw new Refused(`${file} is a link. Give the path of the file itself.`)
      default:
        throw new Refused(
          `The key file ${file} cannot be read and emptied (${code ?? 'no reason given'}), so nothing was stored.`,
        )
    }
  }
}

/** Removes only the file that was read: its name may belong to another file by now. */
const remove = (file: string, handle: number): boolean => {
  try {
    overwrite(handle)
    const openedStats = fstatSync(handle, { bigint: true })
    const namedStats = lstatSync(file, { bigint: true })
    if (openedStats.dev !== namedStats.dev || openedStats.ino !== namedStats.ino) return false
    rmSync(file)
    return true
  } catch {
    return false
  }
}

/** Overwrites the bytes, because removing a file leaves them on the disk. */
const overwrite = (handle: number): void => {
  const zeros = Buffer.alloc(Math.max(fstatSync(handle).size, 512))
  for (let at = 0; at < zeros.length; ) at += writeSync(handle, zeros, at, undefined, at)
  fsyncSync(handle)
  ftruncateSync(handle)
}
