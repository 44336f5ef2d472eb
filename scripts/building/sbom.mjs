import { createHash } from 'node:crypto'

/** @typedef {import('./shipped-packages.mjs').ShippedPackage} ShippedPackage */
/** @typedef {{ name: string, version: string, licence: string }} App */
/** @typedef {{ version: string, source: string, sha512: string }} Runtime the Electron in the package */
/** @typedef {ReturnType<typeof makeSbom>} Sbom */

/**
 * Makes the bill of materials in the format CycloneDX 1.6. The same sources make the same file: the bill contains no
 * time, and its serial number is a hash of its content.
 *
 * @param {App} app
 * @param {readonly ShippedPackage[]} packages
 * @param {Runtime | null} runtime null before packaging
 */
export const makeSbom = (app, packages, runtime) => {
  const root = `pkg:npm/${app.name}@${app.version}`
  const components = [...packages.map(componentOf), ...(runtime === null ? [] : [runtimeComponent(runtime)])]
  const content = {
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: app.name,
        version: app.version,
        licenses: licenceEntries(app.licence),
        purl: root,
      },
    },
    components,
    dependencies: [{ ref: root, dependsOn: components.map((component) => component['bom-ref']) }],
  }
  return withSerialNumber(content)
}

/**
 * Returns the bill of one package file: adds its name and digest.
 *
 * @param {Sbom} sbom
 * @param {{ name: string, sha256: string }} artefact
 */
export const sbomOfArtefact = ({ version, metadata, components, dependencies }, { name, sha256 }) => {
  const component = {
    ...metadata.component,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    properties: [{ name: 'sluice:file', value: name }],
  }
  return withSerialNumber({ version, metadata: { component }, components, dependencies })
}

/** @template T @param {T} content */
const withSerialNumber = (content) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: serialNumber(JSON.stringify(content)),
  ...content,
})

const componentOf = (/** @type {ShippedPackage} */ { packagePath, name, version, licence, integrity }) => {
  const [, scope, plain] = /^(?:@([^/]+)\/)?(.+)$/.exec(name) ?? []
  const purl = `pkg:npm/${scope === undefined ? '' : `%40${scope}/`}${plain}@${version}`
  return {
    type: 'library',
    // The path makes it unique, because the same package may be installed in two folders.
    'bom-ref': `${purl}#${packagePath}`,
    ...(scope === undefined ? {} : { group: `@${scope}` }),
    name: plain,
    version,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') },
    ],
    licenses: licenceEntries(licence),
    purl,
  }
}

const runtimeComponent = (/** @type {Runtime} */ { version, source, sha512 }) => {
  const purl = `pkg:github/electron/electron@v${version}`
  return {
    type: 'framework',
    'bom-ref': purl,
    name: 'electron',
    version,
    hashes: [{ alg: 'SHA-512', content: sha512 }],
    licenses: licenceEntries('MIT'),
    purl,
    properties: [{ name: 'sluice:electron-source', value: source }],
  }
}

const licenceEntries = (/** @type {string} */ spdx) =>
  /\s/.test(spdx) ? [{ expression: spdx }] : [{ license: { id: spdx } }]

const serialNumber = (/** @type {string} */ content) => {
  const hex = createHash('sha256').update(content).digest('hex')
  // UUID version 8 (RFC 9562), whose content is free.
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
