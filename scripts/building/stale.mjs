import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../launcher/project.mjs'

export const OUT = path.join(ROOT, 'out')
export const STAMP = path.join(OUT, '.built')
export const LAB_PAGE_STAMP = path.join(OUT, '.lab-page')
export const COMPILED_STAMP = path.join(OUT, '.compiled')

const SOURCES = [
  'assets',
  'main',
  'preload',
  'renderer',
  'shared',
  'sandbox',
  'server',
  'scripts',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
]

const COMPILED_SOURCES = ['main', 'shared', 'server', 'sandbox', 'scripts/building', 'package-lock.json']

const LAB_PAGE_SOURCES = ['renderer', 'shared', 'assets/app.svg', 'package-lock.json']

/**
 * @param {string} stamp
 * @param {readonly string[]} sources
 */
const isOlder = (stamp, sources) => {
  const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs
  return builtAt === undefined || sources.some((source) => newestMtimeMs(path.join(ROOT, source)) > builtAt)
}

/** True if `out/` is missing, unfinished or older than a source. */
export const isStale = () => isOlder(STAMP, SOURCES)

export const areBundlesStale = () => isOlder(COMPILED_STAMP, COMPILED_SOURCES)

export const isLabPageStale = () => isOlder(LAB_PAGE_STAMP, LAB_PAGE_SOURCES)

/** @param {string} file @returns {number} */
const newestMtimeMs = (file) => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return 0
  if (!stats.isDirectory()) return stats.mtimeMs
  // Include the folder itself: a deleted file changes only the time of its folder.
  return Math.max(stats.mtimeMs, ...readdirSync(file).map((name) => newestMtimeMs(path.join(file, name))))
}
