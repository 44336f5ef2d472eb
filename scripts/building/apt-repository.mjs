import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { ExpectedFailure } from '../launcher/command.mjs'
import { runTool } from './run-tool.mjs'

const SUITE = 'stable'
const COMPONENT = 'main'

/**
 * Adds packages to an apt repository and signs its index. Older versions stay, so that a station can go back.
 *
 * @param {string} folder
 * @param {readonly string[]} debs
 * @param {import('./signing-key.mjs').Signer} signer
 */
export const addDebs = async (folder, debs, signer) => {
  const pool = path.join(folder, 'pool')
  await mkdir(pool, { recursive: true })
  for (const deb of debs) await addToPool(pool, deb)
  const index = await runTool('env', '--chdir', folder, 'apt-ftparchive', 'packages', 'pool')
  const architectures = [
    ...new Set([...index.matchAll(/^Architecture: (\S+)$/gm)].map((found) => found[1] ?? '')),
  ]

  const newDists = path.join(folder, 'dists.new')
  await rm(newDists, { recursive: true, force: true })
  for (const architecture of architectures) {
    const binaryFolder = path.join(newDists, SUITE, COMPONENT, `binary-${architecture}`)
    await mkdir(binaryFolder, { recursive: true })
    const entries = index
      .split(/\n\n+/)
      .filter((entry) => entry.includes(`\nArchitecture: ${architecture}\n`))
    const packages = entries.map((entry) => `${entry.trim()}\n\n`).join('')
    await writeFile(path.join(binaryFolder, 'Packages'), packages)
    await writeFile(path.join(binaryFolder, 'Packages.gz'), gzipSync(packages, { level: 9 }))
  }
  const release = path.join(newDists, SUITE, 'Release')
  await writeFile(release, await makeReleaseFile(path.dirname(release), architectures))
  await signer.sign(release, path.join(newDists, SUITE, 'InRelease'), 'inline')
  await signer.sign(release, path.join(newDists, SUITE, 'Release.gpg'), 'detached')
  // Publish the new index last: by now, the pool contains every package that it lists.
  const currentDists = path.join(folder, 'dists')
  const oldDists = path.join(folder, 'dists.old')
  await rm(oldDists, { recursive: true, force: true })
  // Between the two renames, the repository has no index for a moment.
  if (existsSync(currentDists)) await rename(currentDists, oldDists)
  await rename(newDists, currentDists)
  await rm(oldDists, { recursive: true, force: true })
}

/** A station may already have this version, so the same name must always mean the same bytes. */
const addToPool = async (/** @type {string} */ pool, /** @type {string} */ deb) => {
  const file = path.join(pool, path.basename(deb))
  if (!existsSync(file)) {
    await copyFile(deb, `${file}.new`)
    await rename(`${file}.new`, file)
    return
  }
  if (!(await readFile(file)).equals(await readFile(deb)))
    throw new ExpectedFailure(
      `${file} is already published with different content. A published version must not change: increase the version number.`,
    )
}

const makeReleaseFile = (/** @type {string} */ folder, /** @type {readonly string[]} */ architectures) => {
  const fields = {
    Origin: 'Sluice',
    Label: 'Sluice',
    Suite: SUITE,
    Codename: SUITE,
    Architectures: architectures.join(' '),
    Components: COMPONENT,
  }
  const options = Object.entries(fields).flatMap(([key, value]) => [
    '-o',
    `APT::FTPArchive::Release::${key}=${value}`,
  ])
  return runTool('apt-ftparchive', ...options, 'release', folder)
}
