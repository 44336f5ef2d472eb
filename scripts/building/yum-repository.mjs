import { existsSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { ExpectedFailure } from '../launcher/command.mjs'
import { runTool } from './run-tool.mjs'

/**
 * Signs packages, adds them to a yum repository and signs its index. Older versions stay, so that a station can go
 * back.
 *
 * @param {string} folder
 * @param {readonly string[]} rpms
 * @param {import('./signing-key.mjs').Signer} signer
 */
export const addRpms = async (folder, rpms, signer) => {
  if (rpms.length === 0) return
  await mkdir(folder, { recursive: true })
  for (const rpm of rpms) await addSigned(folder, rpm, signer)
  // Sign the new index before it replaces the published one: an index without a valid signature stops all updates.
  const unfinished = path.join(folder, '.new')
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished)
  const from = ['--update', '--update-md-path', folder]
  await runTool('createrepo_c', '--quiet', ...from, '--no-database', '--outputdir', unfinished, folder)
  const index = path.join(unfinished, 'repodata', 'repomd.xml')
  await signer.sign(index, `${index}.asc`, 'detached')
  const [published, replaced] = [path.join(folder, 'repodata'), path.join(unfinished, 'replaced')]
  // Between the two renames, the repository has no index for a moment.
  if (existsSync(published)) await rename(published, replaced)
  await rename(path.join(unfinished, 'repodata'), published)
  await rm(unfinished, { recursive: true, force: true })
}

/** @param {string} folder @param {string} rpm @param {import('./signing-key.mjs').Signer} signer */
const addSigned = async (folder, rpm, { home, fingerprint }) => {
  const file = path.join(folder, path.basename(rpm))
  if (existsSync(file)) {
    if ((await digestOf(file, home)) === (await digestOf(rpm, home))) return
    throw new ExpectedFailure(
      `${file} is already published with different content. A published version must not change: increase the version number.`,
    )
  }
  // createrepo_c ignores a file with this name.
  const unfinishedFile = `${file}.new`
  await copyFile(rpm, unfinishedFile)
  const macros = {
    __gpg: '/usr/bin/gpg',
    _gpg_path: home,
    _gpg_name: fingerprint,
    _dbpath: path.join(home, 'rpmdb'),
  }
  const defines = Object.entries(macros).flatMap(([key, value]) => ['--define', `${key} ${value}`])
  await runTool('rpmsign', ...defines, '--addsign', unfinishedFile)
  await rename(unfinishedFile, file)
}

/** The digest of everything except the signature. */
const digestOf = (/** @type {string} */ file, /** @type {string} */ home) =>
  runTool(
    'rpm',
    '--dbpath',
    path.join(home, 'rpmdb'),
    '-qp',
    '--nosignature',
    '--qf',
    '%{SHA256HEADER}',
    file,
  )
