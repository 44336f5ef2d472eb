import { readFileSync } from 'node:fs'
import path from 'node:path'
import { capture } from '../launcher/child.mjs'
import { ROOT } from '../launcher/project.mjs'

/** The homepage in the packages: from package.json, or else the GitHub repository that makes the release. */
export const homepage = (/** @type {NodeJS.ProcessEnv} */ env = process.env) => {
  const named = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).homepage
  if (typeof named === 'string') return named
  return env.GITHUB_REPOSITORY === undefined
    ? null
    : `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${env.GITHUB_REPOSITORY}`
}

/**
 * Returns why this checkout cannot be a release, or null if it can. Anyone must be able to build the same packages from
 * the tag, so a release has a tag and no uncommitted changes.
 *
 * @param {string} root
 * @param {string} version
 * @returns {Promise<string | null>}
 */
export const checkoutProblem = async (root, version) => {
  const git = (/** @type {string[]} */ ...args) => capture('git', args, { cwd: root })
  const status = await git('status', '--porcelain')
  if (status.code !== 0) return 'a release needs a Git checkout.'
  const changed = status.stdout.trim().split('\n')[0]
  if (changed !== '') return `a release needs a clean checkout, but git status shows: ${changed}`
  const tags = (await git('tag', '--points-at', 'HEAD')).stdout.split('\n')
  return tags.includes(`v${version}`)
    ? null
    : `a release needs the tag v${version} at this commit; found ${tags.filter((tag) => tag !== '').join(', ') || 'no tag'}.`
}

/**
 * Returns why a release cannot contain this Electron, or null if it can. Only Electron's own download has a published
 * checksum.
 *
 * @param {import('../runtime/find-runtime.mjs').Electron} electron
 * @returns {string | null}
 */
export const electronProblem = ({ source }) => {
  switch (source) {
    case 'installed':
    case 'downloaded':
      return null
    case 'override':
      return 'a release needs the official Electron, but ELECTRON_OVERRIDE_DIST_PATH is set.'
    case 'fallback':
      return 'a release needs the official Electron, which cannot be downloaded here.'
  }
}
