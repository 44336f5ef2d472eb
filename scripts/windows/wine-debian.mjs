import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { isRoot } from '../launcher/project.mjs'
import { PINNED_WINDOWS_NODE } from '../runtime/pinned-table.mjs'
import { fixWineArm64 } from './fix-wine-arm64.mjs'
import { MOUNT_POINTS } from './mounts.mjs'

/**
 * Returns why Wine cannot run here, in one sentence, or null if it can.
 *
 * @param {{ platform: string, arch: string, isRoot: boolean, isDebian: boolean }} machine
 * @returns {string | null}
 */
export const wineProblem = ({ platform, arch, isRoot, isDebian }) => {
  const requirement = 'the Windows tests run on Windows, or under Wine on Debian (x64 or arm64) as root; '
  if (platform !== 'linux') return `${requirement}this is ${platform}.`
  if (!(`win32-${arch}` in PINNED_WINDOWS_NODE)) return `${requirement}this is ${arch}.`
  if (!isDebian) return `${requirement}this Linux is not Debian, so there is no source for Wine's packages.`
  return isRoot ? null : `${requirement}this user is not root.`
}

export const thisMachine = () => ({
  platform: process.platform,
  arch: process.arch,
  isRoot: isRoot(),
  isDebian: existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')),
})

/** @type {import('../runtime/debian-tree.mjs').DebianTree} */
export const WINE_DEBIAN = {
  name: 'wine-debian-13',
  title: 'Debian 13 with Wine (1.2 GB)',
  usedBy: 'the Windows tests',
  // This release of Debian has Wine 10. Under Wine 8, from Debian 12, Node for Windows does not start.
  suite: 'trixie',
  include: ['wine64', 'wine'],
  prepare: async (tree) => {
    for (const name of MOUNT_POINTS) await mkdir(path.join(tree, name), { recursive: true })
    await fixWineArm64(tree)
  },
}
