import { readdir, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { findImportCircles } from './import-circles.mjs'
import { readImports } from './reader.mjs'
import { ROOMS } from './table.mjs'

/** @typedef {import('./table.mjs').Room} Room */
/** @typedef {import('./reader.mjs').Import} Import */

const SKIPPED_FOLDERS = new Set(['node_modules', 'out', 'dist', '.git', '.cache'])
const TOOL_SETTINGS = /\.config\.ts$/

/**
 * Returns one line for each violation: an import that the table does not allow, a file in no room, an entry of the
 * table that allows imports from a room further down, or files that import each other.
 *
 * @param {string} root
 * @returns {Promise<string[]>}
 */
export const importViolations = async (root) => {
  const lines = findOrderViolations(ROOMS)
  const importedFiles = new Map()
  for (const file of await listSources(root, '')) {
    if (TOOL_SETTINGS.test(file)) continue
    const room = roomOf(file)
    if (room === null) {
      lines.push(`${file}:1 is in no room: add an entry for its folder to scripts/imports/table.mjs`)
      continue
    }
    if (room.hasNoRules) continue
    const imports = readImports(file, await readFile(path.join(root, file), 'utf8'))
    for (const found of imports)
      if (!isAllowed(room, file, found))
        lines.push(`${file}:${found.line} imports ${found.from ?? 'a computed name'}: ${room.why}`)
    const targets = imports.flatMap(({ from }) => (from?.startsWith('.') ? [targetOf(file, from)] : []))
    importedFiles.set(file, targets)
  }
  return [...lines, ...findImportCircles(importedFiles)]
}

/**
 * Checks that each entry of the table may import only rooms above it, so that folders cannot form a cycle.
 *
 * @param {readonly Room[]} rooms
 * @returns {string[]}
 */
export const findOrderViolations = (rooms) =>
  rooms.flatMap(({ folder, mayImport = [], mayImportTypes = [] }, index) =>
    [...mayImport, ...mayImportTypes]
      .filter((other) => !rooms.slice(0, index).some((room) => room.folder === other))
      .map((other) => `scripts/imports/table.mjs: ${folder} may not import ${other}, which is not above it`),
  )

/** The innermost room that contains the file. @param {string} file @returns {Room | null} */
const roomOf = (file) => {
  const ownFolder = `${path.posix.dirname(file)}/*`
  const rooms = ROOMS.filter(({ folder }) => folder === ownFolder || file.startsWith(`${folder}/`))
  return rooms.toSorted((a, b) => b.folder.length - a.folder.length)[0] ?? null
}

/** The path of an imported file. @param {string} file @param {string} from */
const targetOf = (file, from) =>
  path.posix.normalize(path.posix.join(path.posix.dirname(file), from)).replace(/\?.*$/, '')

/** @param {Room} room @param {string} file @param {Import} found */
const isAllowed = (room, file, { from, isTypeOnly }) => {
  if (from === null) return room.mayImportComputed === true
  if (from.startsWith('.')) {
    const other = roomOf(targetOf(file, from))
    if (other === room) return true
    const allowed = [...(room.mayImport ?? []), ...(isTypeOnly ? (room.mayImportTypes ?? []) : [])]
    return other !== null && allowed.includes(other.folder)
  }
  if (isBuiltin(from)) return room.mayImportNode === true
  return room.packages?.includes(packageOf(from)) ?? false
}

/** Returns `react-dom` for `react-dom/client`, and `@scope/name` for `@scope/name/part`. */
const packageOf = (/** @type {string} */ from) =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')

/** @param {string} root @param {string} folder @returns {Promise<string[]>} with forward slashes, sorted */
const listSources = async (root, folder) => {
  const files = []
  for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name))
      files.push(...(await listSources(root, name)))
    else if (/\.[cm]?tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) files.push(name)
  }
  return files.sort()
}
