import { readdir, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { readImports } from './reader.mjs'
import { ZONES } from './table.mjs'

/** @typedef {import('./table.mjs').Zone} Zone */
/** @typedef {import('./reader.mjs').Import} Import */

const SKIPPED = new Set(['node_modules', 'out', 'dist', '.git', '.cache'])

/**
 * Returns one line per import that the table does not allow.
 *
 * @param {string} root
 * @returns {Promise<string[]>}
 */
export const importViolations = async (root) => {
  const lines = []
  for (const file of await sources(root, '')) {
    const zone = ZONES.find(({ files }) => matches(files, file))
    if (zone === undefined) {
      lines.push(`${file}:1 is in no zone: give its folder a line in scripts/imports/table.mjs`)
      continue
    }
    if (zone.anything) continue
    for (const found of readImports(file, await readFile(path.join(root, file), 'utf8')))
      if (!isAllowed(zone, file, found))
        lines.push(`${file}:${found.line} imports ${found.from ?? 'a computed name'}: ${zone.why}`)
  }
  return lines
}

/** @param {Zone} zone @param {string} file @param {Import} found */
const isAllowed = (zone, file, { from, typeOnly }) => {
  if (from === null) return zone.computed === true
  if (from.startsWith('.')) {
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), from)).replace(/\?.*$/, '')
    const allowed = [...(zone.own ?? []), ...(typeOnly ? (zone.ownTypes ?? []) : [])]
    return allowed.some((glob) => matches(glob, target))
  }
  if (isBuiltin(from)) return zone.node === true
  return zone.packages?.includes(packageOf(from)) ?? false
}

/** `react-dom/client` becomes `react-dom`, `@scope/name/part` becomes `@scope/name`. */
const packageOf = (/** @type {string} */ from) =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')

/** Globs with `**` for any folders and `*` inside one name. */
const matches = (/** @type {string} */ glob, /** @type {string} */ file) => {
  const pattern = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*\*|\*/g, (star) => ({ '**/': '(?:.*/)?', '**': '.*' })[star] ?? '[^/]*')
  return new RegExp(`^${pattern}$`).test(file)
}

/** @param {string} root @param {string} folder @returns {Promise<string[]>} with forward slashes, sorted */
const sources = async (root, folder) => {
  const found = []
  for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) found.push(...(await sources(root, name)))
    else if (/\.[cm]?tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) found.push(name)
  }
  return found.sort()
}
