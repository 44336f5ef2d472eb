import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

// Without this line, Electron would treat an `.asar` file as a folder. The digest needs the bytes of the file.
Object.assign(process, { noAsar: true })

const OTHERS_WRITE = 0o022
const CHUNK_BYTES = 1024 * 1024

/**
 * Returns why an unpacked package cannot be trusted, or null. Call this before each use of the package, because files
 * may have changed. Checks every file, because a program also loads libraries, snapshots and scripts from its folder.
 *
 * @param {string} folder
 * @param {string} pinnedDigest
 * @param {string} [sealFile] the file with the fingerprint of the last verified tree
 * @returns {string | null}
 */
export const treeProblem = (folder, pinnedDigest, sealFile) => {
  const entries = [folder, ...entriesOf(folder)]
  for (const entry of entries) {
    const problem = permissionProblem(entry)
    if (problem !== null) return `${path.relative(path.dirname(folder), entry)} ${problem}`
  }
  const currentSeal = `${pinnedDigest} ${fingerprintOf(entries)}\n`
  if (sealFile !== undefined && readSeal(sealFile) === currentSeal) return null
  if (computeTreeDigest(folder) !== pinnedDigest) return 'its content was changed'
  if (sealFile !== undefined) writeFileSync(sealFile, currentSeal, { mode: 0o600 })
  return null
}

/**
 * Any change to a file changes the fingerprint: a write updates its ctime, and a replacement has a new inode. If the
 * fingerprint is unchanged, the launcher does not read 300 MB again.
 *
 * @param {readonly string[]} entries
 */
const fingerprintOf = (entries) => {
  const hash = createHash('sha512')
  for (const entry of entries) {
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = lstatSync(entry, { bigint: true })
    hash.update(JSON.stringify([entry, ...[dev, ino, mode, size, mtimeNs, ctimeNs].map(String)]))
  }
  return hash.digest('base64')
}

/** Ignores a seal that another user could have written. */
const readSeal = (/** @type {string} */ file) => {
  try {
    return permissionProblem(file) === null ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}

/**
 * The digest covers name, size and bytes of each file. It uses SHA-512, because SHA-256 is slower on processors without
 * SHA instructions.
 *
 * @param {string} folder
 */
export const computeTreeDigest = (folder) => {
  const hash = createHash('sha512')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (const entry of entriesOf(folder)) {
    const stats = lstatSync(entry)
    if (stats.isDirectory()) continue
    hash.update(`${path.relative(folder, entry).replaceAll(path.sep, '/')}\0${stats.size}\0`)
    const file = openSync(entry, 'r')
    try {
      for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
        hash.update(chunk.subarray(0, read))
    } finally {
      closeSync(file)
    }
  }
  return `sha512-${hash.digest('base64')}`
}

/** Removes the write access of other users, which an archive or a permissive umask may have given. */
export const restrictToOwner = (/** @type {string} */ folder) => {
  for (const entry of [folder, ...entriesOf(folder)]) {
    const { mode } = lstatSync(entry)
    if ((mode & OTHERS_WRITE) !== 0) chmodSync(entry, mode & 0o777 & ~OTHERS_WRITE)
  }
}

/**
 * Returns why an entry cannot be trusted, or null. Another user with write access could replace the program.
 *
 * @param {string} entry
 * @returns {string | null}
 */
export const permissionProblem = (entry) => {
  const stats = lstatSync(entry)
  if (!stats.isFile() && !stats.isDirectory()) return 'is neither a file nor a folder'
  const user = process.getuid?.()
  if (user === undefined) return null
  if (stats.uid !== user && stats.uid !== 0) return 'belongs to another user'
  return (stats.mode & OTHERS_WRITE) === 0 ? null : 'may be written by others'
}

/** Lists all files and folders depth first, in the same order on every machine. */
const entriesOf = (/** @type {string} */ folder) => {
  /** @type {string[]} */
  const entries = []
  for (const name of readdirSync(folder).sort()) {
    const entry = path.join(folder, name)
    entries.push(entry)
    if (lstatSync(entry).isDirectory()) entries.push(...entriesOf(entry))
  }
  return entries
}
