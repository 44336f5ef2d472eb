import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sbomOfArtefact } from './sbom.mjs'

/**
 * Writes the bill of materials beside each artefact, and `SHA256SUMS` in the format of `sha256sum --check`.
 *
 * @param {string} folder
 * @param {readonly { file: string, sbom: import('./sbom.mjs').Sbom }[]} artefacts
 */
export const describeArtefacts = async (folder, artefacts) => {
  /** @type {string[]} */
  const lines = []
  for (const { file, sbom } of artefacts) {
    const name = path.basename(file)
    const sha256 = await sha256Of(file)
    const sbomFile = `${file}.cdx.json`
    await writeFile(sbomFile, `${JSON.stringify(sbomOfArtefact(sbom, { name, sha256 }), null, 2)}\n`)
    lines.push(`${sha256}  ${name}\n`, `${await sha256Of(sbomFile)}  ${path.basename(sbomFile)}\n`)
  }
  await writeFile(path.join(folder, 'SHA256SUMS'), lines.join(''))
}

/** @param {string} file */
export const sha256Of = async (file) => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
