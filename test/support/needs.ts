import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'

declare module 'vitest' {
  interface TaskMeta {
    /**
     * The requirement that this computer does not meet. The summary of a run counts the skipped tests by requirement.
     */
    needs?: string
  }
}

/** The missing requirement, in words that follow "needs", or null. */
export type Need = () => string | null

/**
 * The options of a test or a suite with requirements: `test(name, needs(linux), …)`. If the computer does not meet one
 * of them, Vitest skips the test.
 */
export const needs = (...requirements: readonly Need[]) => {
  for (const need of requirements) {
    const missingRequirement = need()
    if (missingRequirement !== null) return { skip: true, meta: { needs: missingRequirement } }
  }
  return {}
}

export const linux: Need = () => (process.platform === 'linux' ? null : 'Linux')

export const posix: Need = () => (process.platform === 'win32' ? 'Linux or macOS' : null)

export const ipv6Loopback: Need = () =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'))
    ? null
    : 'IPv6'

/** Electron's own Node. On machines without an Electron, the tests run on the installed Node. */
export const electronsNode: Need = () => (process.versions.electron === undefined ? 'Electron' : null)

/** A link to a folder is a junction on Windows. Under Wine, the tests cannot create one. */
export const linksToFolders: Need = () =>
  process.env.SLUICE_WINE === undefined ? null : 'Windows itself, because Wine creates no junction here'

/**
 * A write counter for the drive of the temporary folder. Volumes in memory, in containers or on several drives have
 * none.
 */
export const countedDrive: Need = () => {
  const { dev } = statSync(tmpdir())
  const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)]
  return (
    linux() ??
    (existsSync(`/sys/dev/block/${major}:${minor}/stat`) ? null : 'a drive whose writes Linux counts')
  )
}

export const program =
  (name: string): Need =>
  () =>
    (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, name)))
      ? null
      : name

export const root: Need = () => (process.getuid?.() === 0 ? null : 'root')

/** The right to mount a disk. In a container, being root is not enough. */
export const mountedDisk: Need = () => linux() ?? root() ?? tryToMount()

const tryToMount = (): string | null => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return null
  } catch {
    return 'the right to mount'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The right to use a file as a drive. */
export const loopDevice: Need = () => linux() ?? root() ?? program('losetup')() ?? tryToFindLoopDevice()

const tryToFindLoopDevice = (): string | null => {
  try {
    execFileSync('losetup', ['--find'], { stdio: 'ignore' })
    return null
  } catch {
    return 'a free loop device'
  }
}

/** The right to create a network in which a test can drop packets. */
export const ownNetwork: Need = () => linux() ?? root() ?? program('ip')() ?? tryToCreateNetwork()

const tryToCreateNetwork = (): string | null => {
  const name = `sluice-try-${process.pid}`
  try {
    execFileSync('ip', ['netns', 'add', name], { stdio: 'ignore' })
    execFileSync('ip', ['netns', 'del', name], { stdio: 'ignore' })
    return null
  } catch {
    return 'the right to create a network namespace'
  }
}

/** The right to run a program that sees only its own processes, as in a container. */
export const ownProcessList: Need = () => linux() ?? program('unshare')() ?? tryToCreateProcessList()

export const ownProcessListCommand = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const

const tryToCreateProcessList = (): string | null => {
  const [command, ...args] = ownProcessListCommand
  try {
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' })
    return null
  } catch {
    return 'the right to create a PID namespace'
  }
}

/** The right to run a program with its own limit of watched folders. */
export const ownWatchLimit: Need = () => linux() ?? program('unshare')() ?? tryToSetWatchLimit()

const tryToSetWatchLimit = (): string | null => {
  try {
    const change = 'echo 3 >/proc/sys/user/max_inotify_watches'
    execFileSync('unshare', ['-U', '-r', 'sh', '-c', change], { stdio: 'ignore' })
    return null
  } catch {
    return 'the right to create a user namespace'
  }
}

/** A user whose access to a file can be denied. Root has to drop its rights first. */
export const ordinaryUser: Need = () => posix() ?? (root() === null ? program('setpriv')() : null)

/** A command prefix that takes away root's right to ignore file permissions. Empty for other users. */
export const asOrdinaryUser = (): readonly string[] =>
  root() === null && ordinaryUser() === null
    ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search']
    : []
