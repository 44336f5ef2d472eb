import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { capture, runInPlace } from '../launcher/child.mjs'
import { Refusal } from '../launcher/command.mjs'
import { ROOT, toolScript } from '../launcher/project.mjs'
import { listShipped } from './list-shipped.mjs'

export const OUT = path.join(ROOT, 'out')
const STAMP = path.join(OUT, '.built')
const COMPILED_STAMP = path.join(OUT, '.compiled')

/** What the build reads. A folder's own time changes when a file in it is deleted. */
const SOURCES = [
  'main',
  'preload',
  'renderer',
  'shared',
  'sandbox',
  'scripts',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
]

/** What the part that needs no browser is compiled from. */
const COMPILED_SOURCES = [
  'main',
  'shared',
  'sandbox',
  'scripts/building/bundle.mjs',
  'scripts/building/programs.mjs',
]

const BUNDLE = path.join(ROOT, 'scripts/building/bundle.mjs')

/** All on the system's Node, which Vite supports from 20 on. */
const STEPS = [
  { what: 'main, agent and sandbox', script: BUNDLE, args: [] },
  {
    what: 'the preload',
    script: toolScript('vite/bin/vite.js'),
    args: ['build', '--config', 'preload/vite.config.ts', '--logLevel', 'warn'],
  },
  { what: 'the page', script: toolScript('vite/bin/vite.js'), args: ['build', '--logLevel', 'warn'] },
]

const iconScript = path.join(ROOT, 'scripts/building/icons.mjs')
const ICONS = existsSync(iconScript) ? [{ what: 'the icons', script: iconScript, args: [] }] : []

/** Compiles everything into `out/`, from nothing: a file that was deleted must not live on in a package. */
export const build = async () => {
  await rm(OUT, { recursive: true, force: true })
  for (const { what, script, args } of [...STEPS, ...ICONS]) {
    const code = await runInPlace(process.execPath, [script, ...args], { cwd: ROOT })
    if (code !== 0) throw new Refusal(`building ${what} failed; the reasons are above.`)
  }
  await mkdir(OUT, { recursive: true })
  await listShipped()
  await writeFile(COMPILED_STAMP, '')
  await writeFile(STAMP, '')
}

/** Main, agent and sandbox only, into what is there; says nothing. */
export const compile = async () => {
  const { code } = await capture(process.execPath, [BUNDLE], { cwd: ROOT })
  if (code === 0) await writeFile(COMPILED_STAMP, '')
}

/**
 * @param {string} stamp
 * @param {readonly string[]} sources
 */
const isOlder = (stamp, sources) => {
  const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs
  return builtAt === undefined || sources.some((source) => newest(path.join(ROOT, source)) > builtAt)
}

/** Is `out/` missing, unfinished or older than a source? */
export const isStale = () => isOlder(STAMP, SOURCES)

export const isCompiledStale = () => isOlder(COMPILED_STAMP, COMPILED_SOURCES)

/** @param {string} file @returns {number} */
const newest = (file) => {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (facts === undefined) return 0
  if (!facts.isDirectory()) return facts.mtimeMs
  return Math.max(facts.mtimeMs, ...readdirSync(file).map((name) => newest(path.join(file, name))))
}
