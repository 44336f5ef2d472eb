import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'

/** @typedef {{ kind: 'overlay', from: readonly string[], to: string }} Overlay */

/**
 * A mount of the kind `overlay` shows all folders of `from` as one. If several of them have the same file, the first
 * folder wins. Writes go into memory, so the folders stay unchanged.
 *
 * @typedef {{ kind: 'bind', from: string, to: string } | Overlay} Mount
 */

/** Mount points that must exist before the container starts, because its root is read-only. */
export const MOUNT_POINTS = /** @type {const} */ (['node', 'prefix', 'scratch', 'sluice'])

/**
 * Mounts the container in the mount namespace of this process.
 *
 * @param {string} debian
 * @param {readonly Mount[]} mounts
 */
export const mountContainer = (debian, mounts) => {
  const pathInside = (/** @type {string} */ to) => path.join(debian, to)
  mount('--bind', debian, debian)
  mount('-t', 'tmpfs', 'tmpfs', pathInside('tmp'))
  mount('-t', 'proc', 'proc', pathInside('proc'))
  mount('--rbind', '/dev', pathInside('dev'))
  for (const [index, entry] of mounts.entries()) {
    if (entry.kind === 'bind') mount('--bind', entry.from, pathInside(entry.to))
    else mountOverlay(pathInside(`tmp/.over-${index}`), entry.from, pathInside(entry.to))
  }
  mount('-o', 'remount,bind,ro', debian)
}

/**
 * Binds each layer to a plain name first, because a colon or a comma in a path would split the mount option.
 *
 * @param {string} work
 * @param {readonly string[]} layers
 * @param {string} to
 */
const mountOverlay = (work, layers, to) => {
  const names = layers.map((layer, index) => {
    const name = path.join(work, `layer-${index}`)
    mkdirSync(name, { recursive: true })
    mount('--bind', layer, name)
    return name
  })
  const [upperDir, workDir] = ['upper', 'work'].map((name) => path.join(work, name))
  for (const folder of [upperDir, workDir]) mkdirSync(/** @type {string} */ (folder))
  const options = `lowerdir=${names.join(':')},upperdir=${upperDir},workdir=${workDir}`
  mount('-t', 'overlay', '-o', options, 'overlay', to)
}

const mount = (/** @type {string[]} */ ...args) => execFileSync('mount', args, { stdio: 'inherit' })
