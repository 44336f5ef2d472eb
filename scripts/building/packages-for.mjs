import { cp, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { log, Refusal } from '../launcher/command.mjs'
import { ROOT } from '../launcher/project.mjs'
import { captureNpm } from '../runtime/npm.mjs'

/** The files that an app contains besides its dependencies. */
const COPIED = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'LICENSE',
  'electron-builder.yml',
  'assets/bin',
  'docs/settings.schema.json',
  'out',
]

/**
 * Provides a copy of the project with the dependencies of a different machine. The installed dependencies have native files
 * for this machine. npm verifies each package with the lockfile. The copy is removed afterwards.
 *
 * @template T
 * @param {{ platform: string, arch: string }} machine
 * @param {(tree: string) => Promise<T>} use
 */
export const withPackagesFor = async ({ platform, arch }, use) => {
  const tree = await mkdtemp(path.join(os.tmpdir(), 'sluice-package-'))
  try {
    for (const name of COPIED) await cp(path.join(ROOT, name), path.join(tree, name), { recursive: true })
    log(`installing the packages for ${platform}-${arch} into a copy…`)
    const install = ['ci', '--omit=dev', `--os=${platform}`, `--cpu=${arch}`, '--ignore-scripts']
    const { code, output } = await captureNpm(install, { cwd: tree })
    if (code !== 0) {
      process.stderr.write(output)
      throw new Refusal('npm could not install the packages; see its output above.')
    }
    return await use(tree)
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}
