import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { capture } from '../launcher/child.mjs'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { isRoot } from '../launcher/project.mjs'
import { ensureCachePrivate, withWorkFolder } from '../runtime/cache-folder.mjs'
import { requirePrograms } from '../runtime/system-libraries.mjs'
import { IN_OWN_NAMESPACE } from './container.mjs'
import { MOUNT_POINTS } from './mounts.mjs'

/** This release of Debian has Wine 10. Under Wine 8, from Debian 12, Node for Windows does not start. */
const SUITE = 'trixie'
const FOLDER = 'wine-debian-13'
const LOG_EVERY_MS = 15_000
const LAST_LINES = 12
/** Debian's signing keys, from the package debian-archive-keyring. Without this file, debootstrap would verify nothing. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Returns why Wine cannot run here, in one sentence, or null if it can.
 *
 * @param {{ platform: string, arch: string, root: boolean, debian: boolean }} machine
 * @returns {string | null}
 */
export const wineProblem = ({ platform, arch, root, debian }) => {
  const requirement = 'the Windows tests run on Windows, or under Wine on Debian (x64) as root; '
  if (platform !== 'linux') return `${requirement}this is ${platform}.`
  if (arch !== 'x64') return `${requirement}this is ${arch}, which is untested.`
  if (!debian) return `${requirement}this Linux is not Debian, so there is no source for Wine's packages.`
  return root ? null : `${requirement}this user is not root.`
}

export const thisMachine = () => ({
  platform: process.platform,
  arch: process.arch,
  root: isRoot(),
  debian: existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')),
})

/**
 * Returns the folder of a Debian 13 with Wine. The first use unpacks it into a work folder and renames this folder when it
 * is complete. debootstrap verifies every package with Debian's signature, and fails if it cannot.
 *
 * @param {string} cache
 * @returns {Promise<string>}
 */
export const ensureWineDebian = async (cache) => {
  await ensureCachePrivate(cache)
  const folder = path.join(cache, FOLDER)
  if (existsSync(folder)) return folder
  const programs = [
    { name: 'debootstrap', packageName: 'debootstrap' },
    { name: 'gpgv', packageName: 'gpgv' },
    { name: KEYRING, packageName: 'debian-archive-keyring' },
  ]
  await requirePrograms('the Windows tests', programs, { env: process.env })
  const mirror = await debianMirror()
  log('unpacking Debian 13 with Wine, once: about three minutes, 1.2 GB…')
  return withWorkFolder(cache, async (work) => {
    const tree = path.join(work, 'debian')
    await debootstrap(tree, mirror)
    for (const name of MOUNT_POINTS) await mkdir(path.join(tree, name), { recursive: true })
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
  if (mirror === undefined) throw new ExpectedFailure("no Debian mirror in apt's sources to fetch Wine from.")
  return mirror
}

/**
 * @param {string} folder
 * @param {string} mirror
 * @returns {readonly string[]}
 */
export const debootstrapArguments = (folder, mirror) => [
  '--force-check-gpg',
  `--keyring=${KEYRING}`,
  '--variant=minbase',
  '--include=wine64,wine',
  SUITE,
  folder,
  mirror,
]

/** @param {string} folder @param {string} mirror */
const debootstrap = async (folder, mirror) => {
  const child = spawn(
    'unshare',
    [...IN_OWN_NAMESPACE, 'debootstrap', ...debootstrapArguments(folder, mirror)],
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
  throw new ExpectedFailure('debootstrap could not unpack Debian 13 with Wine; see its output above.')
}
