import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import { ROOT } from '../launcher/project.mjs'
import { sha256Of } from './artefacts.mjs'
import { homepage } from './release-checks.mjs'

const IDENTIFIER = 'Sluice.Sluice'
const MANIFEST_VERSION = '1.9.0'

/**
 * Writes the manifests for winget into the folder `winget`, unless the homepage or a Windows installer is missing. To
 * publish the manifests, open a pull request to winget-pkgs.
 *
 * @param {string} folder
 * @param {readonly string[]} artefacts
 */
export const writeWingetManifests = async (folder, artefacts) => {
  const address = homepage()
  const setup = artefacts.find((file) => file.endsWith('.exe'))
  const msi = artefacts.find((file) => file.endsWith('.msi'))
  if (address === null || setup === undefined || msi === undefined) return
  const manifests = await wingetManifests({ address, setup, msi })
  await mkdir(path.join(folder, 'winget'), { recursive: true })
  for (const [name, content] of Object.entries(manifests))
    await writeFile(
      path.join(folder, 'winget', name),
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${content.ManifestType}.${MANIFEST_VERSION}.schema.json\n${stringify(content)}`,
    )
}

/**
 * @param {{ address: string, setup: string, msi: string }} options
 * @returns {Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>}
 */
const wingetManifests = async ({ address, setup, msi }) => {
  const { description, license, author } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
  const version = /^Sluice-Setup-(.+)-x64\.exe$/.exec(path.basename(setup))?.[1] ?? ''
  const common = { PackageIdentifier: IDENTIFIER, PackageVersion: version }
  const installer = async (/** @type {string} */ file, /** @type {'nullsoft' | 'wix'} */ type) => ({
    Architecture: 'x64',
    InstallerType: type,
    InstallerUrl: `${address}/releases/download/v${version}/${path.basename(file)}`,
    InstallerSha256: (await sha256Of(file)).toUpperCase(),
  })
  return {
    [`${IDENTIFIER}.yaml`]: {
      ...common,
      DefaultLocale: 'en-US',
      ManifestType: 'version',
      ManifestVersion: MANIFEST_VERSION,
    },
    [`${IDENTIFIER}.installer.yaml`]: {
      ...common,
      Platform: ['Windows.Desktop'],
      MinimumOSVersion: '10.0.17763.0',
      Scope: 'machine',
      UpgradeBehavior: 'install',
      ElevationRequirement: 'elevationRequired',
      Installers: [await installer(setup, 'nullsoft'), await installer(msi, 'wix')],
      ManifestType: 'installer',
      ManifestVersion: MANIFEST_VERSION,
    },
    [`${IDENTIFIER}.locale.en-US.yaml`]: {
      ...common,
      PackageLocale: 'en-US',
      Publisher: author,
      PackageName: 'Sluice',
      PackageUrl: address,
      License: license,
      ShortDescription: description.slice(0, 256),
      ManifestType: 'defaultLocale',
      ManifestVersion: MANIFEST_VERSION,
    },
  }
}
