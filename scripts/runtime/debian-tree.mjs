import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { capture } from '../launcher/child.mjs'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { NAMESPACE_OPTIONS } from '../launcher/own-namespace.mjs'
import { ensureCachePrivate, withWorkFolder } from './cache-folder.mjs'
import { requirePrograms } from './system-libraries.mjs'

const LOG_EVERY_MS = 15_000
const LAST_LINES = 12
/** Debian's signing keys, from the package debian-archive-keyring. debootstrap fails without this file. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * @typedef {object} DebianTree
 * @property {string} name the folder in the cache
 * @property {string} title shown in the terminal, such as "Debian 13 with Wine"
 * @property {string} usedBy shown in the terminal, such as "the Windows tests"
 * @property {string} suite
 * @property {readonly string[]} include packages beside the essential ones
 * @property {(tree: string) => Promise<void>} [prepare]
 */

/**
 * Returns the folder of a minimal Debian, which the first use unpacks. debootstrap verifies every package with Debian's
 * signature.
 *
 * @param {string} cache
 * @param {DebianTree} debian
 * @returns {Promise<string>}
 */
export const ensureDebianTree = async (cache, debian) => {
  await ensureCachePrivate(cache)
  const folder = path.join(cache, debian.name)
  if (existsSync(folder)) return folder
  const programs = [
    { name: 'debootstrap', packageName: 'debootstrap' },
    { name: 'gpgv', packageName: 'gpgv' },
    { name: KEYRING, packageName: 'debian-archive-keyring' },
  ]
  await requirePrograms(debian.usedBy, programs, { env: process.env })
  const mirror = await debianMirror()
  log(`unpacking ${debian.title}, once: about three minutes…`)
  return withWorkFolder(cache, async (work) => {
    const tree = path.join(work, 'debian')
    await debootstrap(debian, tree, mirror)
    await debian.prepare?.(tree)
    await rm(path.join(tree, 'var/cache/apt/archives'), { recursive: true, force: true })
    await rename(tree, folder)
    return folder
  })
}

/** Uses the mirror of this system's apt, which is known to work. */
const debianMirror = async () => {
  const format = ['--format', '$(LABEL) $(REPO_URI)']
  const { stdout } = await capture('apt-get', ['indextargets', ...format, 'Created-By: Packages'])
  const mirror = /^Debian (\S+)$/m.exec(stdout)?.[1]
  if (mirror === undefined) throw new ExpectedFailure("no Debian mirror in apt's sources.")
  return mirror
}

/**
 * @param {Pick<DebianTree, 'suite' | 'include'>} debian
 * @param {string} folder
 * @param {string} mirror
 * @returns {readonly string[]}
 */
export const debootstrapArguments = ({ suite, include }, folder, mirror) => [
  '--force-check-gpg',
  `--keyring=${KEYRING}`,
  '--variant=minbase',
  `--include=${include.join(',')}`,
  suite,
  folder,
  mirror,
]

/** @param {DebianTree} debian @param {string} folder @param {string} mirror */
const debootstrap = async (debian, folder, mirror) => {
  const child = spawn(
    'unshare',
    [...NAMESPACE_OPTIONS, 'debootstrap', ...debootstrapArguments(debian, folder, mirror)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  /** @type {string[]} */
  const lines = []
  const startedAt = performance.now()
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => lines.push(line))
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    log(`${seconds} s: ${lines.at(-1)?.replace(/^[A-Z]: /, '') ?? 'waiting for the mirror'}`)
  }, LOG_EVERY_MS)
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  clearInterval(progress)
  if (code === 0) return
  process.stderr.write(`${lines.slice(-LAST_LINES).join('\n')}\n`)
  throw new ExpectedFailure(`debootstrap could not unpack ${debian.title}; see its output above.`)
}
