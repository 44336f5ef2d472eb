import { createHash } from 'node:crypto'
import { DEPENDS } from '../../scripts/building/make-deb.mjs'
import { cacheFolder } from '../../scripts/launcher/project.mjs'
import { ensureDebianTree } from '../../scripts/runtime/debian-tree.mjs'
import { type Need, program } from './needs.ts'
import { systemCopy } from './system-copy.ts'

/**
 * `debootstrap` makes the minimal Debian from packages of the mirror that apt uses on this system. So a test needs
 * `debootstrap` and `apt-get`.
 */
export const minimalDebian: Need = () => systemCopy() ?? program('debootstrap')() ?? program('apt-get')()

/**
 * The folder of a Debian 12 with systemd and the dependencies of `sluice-agent`, without recommended packages. Do not
 * change this folder: install the package into a `SystemCopy` of it, which needs no network.
 */
export const ensureMinimalDebian = (): Promise<string> => {
  const dependencies = DEPENDS.map((dependency) => dependency.split(' | ')[0] ?? dependency)
  // `debootstrap` cannot choose a package that provides `default-dbus-session-bus`, so this list names
  // `dbus-user-session`.
  const include = ['systemd', 'systemd-sysv', 'dbus', 'dbus-user-session', ...dependencies]
  const digest = createHash('sha256').update(include.join(',')).digest('hex').slice(0, 8)
  return ensureDebianTree(cacheFolder(process.env), {
    name: `debian-12-minimal-${digest}`,
    title: 'a minimal Debian 12 (600 MB)',
    usedBy: 'the tests of the packages',
    suite: 'bookworm',
    include,
  })
}
