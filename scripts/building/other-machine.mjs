import { cp, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Refusal, say } from '../launcher/command.mjs'
import { ROOT } from '../launcher/project.mjs'
import { captureNpm } from '../runtime/npm.mjs'

/** What a package is made from, besides the packages. */
const WHAT = [
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
 * A copy of what is packaged, with the packages that npm installs on another machine: those here hold native parts of
 * this one. npm holds each to the lockfile. The copy is gone afterwards.
 *
 * @template T
 * @param {{ platform: string, arch: string }} machine
 * @param {(tree: string) => Promise<T>} use
 */
export const withTreeOf = async ({ platform, arch }, use) => {
  const tree = await mkdtemp(path.join(os.tmpdir(), 'sluice-package-'))
  try {
    for (const name of WHAT) await cp(path.join(ROOT, name), path.join(tree, name), { recursive: true })
    say(`installing the packages for ${platform}-${arch} into a copy…`)
    const install = ['ci', '--omit=dev', `--os=${platform}`, `--cpu=${arch}`, '--ignore-scripts']
    const { code, output } = await captureNpm(install, { cwd: tree })
    if (code !== 0) {
      process.stderr.write(output)
      throw new Refusal('npm could not install the packages for it; its own words are above.')
    }
    return await use(tree)
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}
