import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../launcher/project.mjs'

const LISTS = path.join(ROOT, 'out/.bundled')

/**
 * Writes a list of the packages in a bundle. Only the bundler knows these packages, because it omits unused code.
 *
 * @param {string} bundleName
 * @returns {import('vite').Plugin}
 */
export const listBundled = (bundleName) => ({
  name: 'list-bundled',
  apply: 'build',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((output) =>
      output.type === 'chunk' ? output.moduleIds : [],
    )
    const packagePaths = [...new Set(modules.flatMap((id) => packagePathOf(id) ?? []))].sort()
    mkdirSync(LISTS, { recursive: true })
    writeFileSync(path.join(LISTS, `${bundleName}.json`), JSON.stringify(packagePaths))
  },
})

/** @returns {readonly string[]} as in the lockfile, for example `node_modules/react` */
export const bundledPackagePaths = () =>
  readdirSync(LISTS).flatMap((name) => JSON.parse(readFileSync(path.join(LISTS, name), 'utf8')))

/**
 * @param {string} moduleId a path, possibly with a prefix that the bundler adds
 * @returns {string | null} null for our own files
 */
export const packagePathOf = (moduleId) => {
  const file = moduleId.replaceAll('\\', '/')
  return /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? null
}
