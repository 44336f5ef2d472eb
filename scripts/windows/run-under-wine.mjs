import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { cacheFolder, ROOT } from '../launcher/project.mjs'
import { ensureDebianTree } from '../runtime/debian-tree.mjs'
import { unpackPinned } from '../runtime/pinned-package.mjs'
import { PINNED_WINDOWS_NODE } from '../runtime/pinned-table.mjs'
import { runInContainer } from './container.mjs'
import { unpackWindowsPackages } from './windows-packages.mjs'
import { WINE_DEBIAN } from './wine-debian.mjs'
import { ensureWinePrefix, WINE_ENV } from './wine-prefix.mjs'

/**
 * Runs a script of this repository with Node for Windows and returns the exit code. The container mounts the repository
 * and the files of Wine as overlays, so they stay unchanged.
 *
 * @param {readonly string[]} args the script, as a Windows path relative to the repository, and its arguments
 * @param {Readonly<Record<string, string>>} env
 */
export const runUnderWine = async (args, env) => {
  const cache = cacheFolder(process.env)
  const debian = await ensureDebianTree(cache, WINE_DEBIAN)
  const pin = PINNED_WINDOWS_NODE[`win32-${process.arch}`]
  if (pin === undefined) throw new Error(`no Node for Windows is pinned for ${process.arch}`)
  const node = await unpackPinned(pin, { cache })
  const prefix = await ensureWinePrefix(cache, debian)
  const work = await mkdtemp(path.join(os.tmpdir(), 'sluice-wine-'))
  try {
    const [packages, scratch] = [path.join(work, 'packages'), path.join(work, 'scratch')]
    for (const name of ['temp', 'empty']) await mkdir(path.join(scratch, name), { recursive: true })
    await unpackWindowsPackages(cache, packages)
    return await runInContainer({
      debian,
      mounts: [
        { kind: 'overlay', from: [prefix], to: 'prefix' },
        { kind: 'overlay', from: [packages, ROOT], to: 'sluice' },
        { kind: 'bind', from: path.join(node, path.dirname(pin.binary)), to: 'node' },
        { kind: 'bind', from: scratch, to: 'scratch' },
      ],
      command: ['wine', 'Z:\\node\\node.exe', ...args],
      cwd: '/sluice',
      env: {
        ...WINE_ENV,
        // Some tests start `node` by its name, so Wine must search this folder for programs.
        WINEPATH: 'Z:\\node',
        NODE_OPTIONS: '--import=file:///Z:/sluice/scripts/windows/wake-event-loop.mjs',
        ...env,
      },
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
