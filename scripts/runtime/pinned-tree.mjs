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

// An Electron that plays Node takes an .asar file for a folder; to the launcher, and to a digest, it is a file.
Object.assign(process, { noAsar: true })

const OTHERS_WRITE = 0o022
const CHUNK_BYTES = 1024 * 1024

/**
 * Why an unpacked package is not, or may not stay, what was pinned; null when it is. Asked on every use: what was
 * right when it was unpacked may have been changed since. All of it counts, not only the program: it loads libraries,
 * snapshots and scripts that lie beside it.
 *
 * @param {string} folder
 * @param {string} tree the digest that was pinned
 * @param {string} [seal] where it is noted what the tree looked like when it was last digested
 * @returns {string | null}
 */
export const treeProblem = (folder, tree, seal) => {
  const entries = [folder, ...entriesOf(folder)]
  for (const entry of entries) {
    const problem = rightsProblem(entry)
    if (problem !== null) return `${path.relative(path.dirname(folder), entry)} ${problem}`
  }
  const look = `${tree} ${lookOf(entries)}\n`
  if (seal !== undefined && readSeal(seal) === look) return null
  if (treeDigest(folder) !== tree) return 'its content was changed'
  if (seal !== undefined) writeFileSync(seal, look, { mode: 0o600 })
  return null
}

/**
 * Nobody can write to a file, or put another in its place, without its time of change or its number telling: as long
 * as they are those of the last digest, a start need not read 300 MB again.
 *
 * @param {readonly string[]} entries
 */
const lookOf = (entries) => {
  const hash = createHash('sha512')
  for (const entry of entries) {
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = lstatSync(entry, { bigint: true })
    hash.update(JSON.stringify([entry, ...[dev, ino, mode, size, mtimeNs, ctimeNs].map(String)]))
  }
  return hash.digest('base64')
}

/** One that others may have written says nothing. */
const readSeal = (/** @type {string} */ file) => {
  try {
    return rightsProblem(file) === null ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}

/**
 * Over the name, the size and the bytes of each file. SHA-512 because a processor without SHA instructions does it
 * half again as fast as SHA-256.
 *
 * @param {string} folder
 */
export const treeDigest = (folder) => {
  const hash = createHash('sha512')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (const entry of entriesOf(folder)) {
    const facts = lstatSync(entry)
    if (facts.isDirectory()) continue
    hash.update(`${path.relative(folder, entry).replaceAll(path.sep, '/')}\0${facts.size}\0`)
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

/** An archive, or a loose umask, may have left it open to others. */
export const closeToOthers = (/** @type {string} */ folder) => {
  for (const entry of [folder, ...entriesOf(folder)]) {
    const { mode } = lstatSync(entry)
    if ((mode & OTHERS_WRITE) !== 0) chmodSync(entry, mode & 0o777 & ~OTHERS_WRITE)
  }
}

/**
 * Whoever may write here may put another program in its place.
 *
 * @param {string} entry
 * @returns {string | null}
 */
export const rightsProblem = (entry) => {
  const facts = lstatSync(entry)
  if (!facts.isFile() && !facts.isDirectory()) return 'is neither a file nor a folder'
  const user = process.getuid?.()
  if (user === undefined) return null
  if (facts.uid !== user && facts.uid !== 0) return 'belongs to another user'
  return (facts.mode & OTHERS_WRITE) === 0 ? null : 'may be written by others'
}

/** Depth first, in an order that every machine agrees on. */
const entriesOf = (/** @type {string} */ folder) => {
  /** @type {string[]} */
  const found = []
  for (const name of readdirSync(folder).sort()) {
    const entry = path.join(folder, name)
    found.push(entry)
    if (lstatSync(entry).isDirectory()) found.push(...entriesOf(entry))
  }
  return found
}
