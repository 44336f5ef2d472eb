import { cp, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { ROOT } from '../launcher/project.mjs'
import { captureNpm } from '../runtime/npm.mjs'

/** The project files that packaging needs besides the dependencies. */
const PROJECT_FILES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'LICENSE',
  'electron-builder.yml',
  'assets/bin',
  'docs/settings.schema.json',
  'docs/windows',
  'out',
]

/**
 * Calls `use` with a temporary copy of the project that has the dependencies for another machine. The installed
 * dependencies contain native files for this machine only.
 *
 * @template T
 * @param {{ platform: string, arch: string }} machine
 * @param {(tree: string) => Promise<T>} use
 */
export const withPackagesForMachine = async ({ platform, arch }, use) => {
  const tree = await mkdtemp(path.join(os.tmpdir(), 'sluice-package-'))
  try {
    for (const name of PROJECT_FILES)
      await cp(path.join(ROOT, name), path.join(tree, name), { recursive: true })
    log(`installing the packages for ${platform}-${arch} into a copy of the project…`)
    const install = ['ci', '--omit=dev', `--os=${platform}`, `--cpu=${arch}`, '--ignore-scripts']
    const { code, output } = await captureNpm(install, { cwd: tree })
    if (code !== 0) {
      process.stderr.write(output)
      throw new ExpectedFailure('npm could not install the packages; see its output above.')
    }
    return await use(tree)
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}
