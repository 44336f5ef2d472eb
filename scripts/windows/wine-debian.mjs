import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { capture } from '../launcher/child.mjs'
import { Refusal, say } from '../launcher/command.mjs'
import { isRoot } from '../launcher/project.mjs'
import { keepCacheOwn, withWorkFolder } from '../runtime/cache-folder.mjs'
import { requirePrograms } from '../runtime/system-libraries.mjs'
import { MOUNT_POINTS } from './mounts.mjs'
import { IN_OWN_NAMESPACE } from './namespace.mjs'

/** Wine 10. Debian 12's Wine 8 ends with an error when this Node starts. */
const SUITE = 'trixie'
const FOLDER = 'wine-debian-13'
const SAY_EVERY_MS = 15_000
const LAST_LINES = 12
/** Debian's signing keys, from its package. Without this file debootstrap would warn and check nothing. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Why Wine cannot be had here, in one sentence; null where it can.
 *
 * @param {{ platform: string, arch: string, root: boolean, debian: boolean }} machine
 * @returns {string | null}
 */
export const wineProblem = ({ platform, arch, root, debian }) => {
  const wanted = 'the Windows tests run on Windows, or under Wine on Debian (x64) as root; '
  if (platform !== 'linux') return `${wanted}this is ${platform}.`
  if (arch !== 'x64') return `${wanted}this is ${arch}, where they were never tried.`
  if (!debian) return `${wanted}this Linux is not Debian, so there is no source for Wine's packages.`
  return root ? null : `${wanted}this user is not root.`
}

export const thisMachine = () => ({
  platform: process.platform,
  arch: process.arch,
  root: isRoot(),
  debian: existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')),
})

/**
 * The folder of a Debian 13 with Wine, unpacked on first use: into a folder beside it that is renamed when it is whole.
 * debootstrap checks Debian's signature, and fails where it cannot.
 *
 * @param {string} cache
 * @returns {Promise<string>}
 */
export const ensureWineDebian = async (cache) => {
  await keepCacheOwn(cache)
  const folder = path.join(cache, FOLDER)
  if (existsSync(folder)) return folder
  const programs = [
    { name: 'debootstrap', packageName: 'debootstrap' },
    { name: 'gpgv', packageName: 'gpgv' },
    { name: KEYRING, packageName: 'debian-archive-keyring' },
  ]
  await requirePrograms('the Windows tests', programs, { env: process.env })
  const mirror = await debianMirror()
  say('unpacking Debian 13 with Wine, once: about three minutes, 1.2 GB…')
  return withWorkFolder(cache, async (work) => {
    const tree = path.join(work, 'debian')
    await debootstrap(tree, mirror)
    for (const name of MOUNT_POINTS) await mkdir(path.join(tree, name), { recursive: true })
    await rm(path.join(tree, 'var/cache/apt/archives'), { recursive: true, force: true })
    await rename(tree, folder)
    return folder
  })
}

/** The mirror that apt uses here: it can be reached. */
const debianMirror = async () => {
  const format = ['--format', '$(LABEL) $(REPO_URI)']
  const { stdout } = await capture('apt-get', ['indextargets', ...format, 'Created-By: Packages'])
  const mirror = /^Debian (\S+)$/m.exec(stdout)?.[1]
  if (mirror === undefined) throw new Refusal("apt's sources name no Debian mirror to get Wine from.")
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
    say(`${seconds} s: ${lines.at(-1)?.replace(/^[A-Z]: /, '') ?? 'waiting for the mirror'}`)
  }, SAY_EVERY_MS)
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  clearInterval(progress)
  if (code === 0) return
  process.stderr.write(`${lines.slice(-LAST_LINES).join('\n')}\n`)
  throw new Refusal('debootstrap could not unpack Debian 13 with Wine; its own words are above.')
}
