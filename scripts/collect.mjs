import { readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sha256Of } from './building/artefacts.mjs'
import { withSigningKey } from './building/signing-key.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'

const KEY_VARIABLE = 'SLUICE_REPOSITORY_KEY'

/** Collects the packages of all systems for a release: FROM has one folder per system, each with its `SHA256SUMS`. */
await command(
  { usage: 'npm run collect -- FROM INTO', allowPositionals: true },
  async (_, [from, into, ...extraArguments]) => {
    if (from === undefined || into === undefined || extraArguments.length > 0)
      throw new ExpectedFailure('name the folder of the packages and the folder of the release.')
    const { [KEY_VARIABLE]: key, ...env } = process.env
    process.env = env
    const fromCaller = (/** @type {string} */ name) => path.resolve(env.INIT_CWD ?? process.cwd(), name)
    const release = fromCaller(into)
    await mkdir(release, { recursive: true })
    /** @type {string[]} */
    const lines = []
    for (const system of (await readdir(fromCaller(from))).toSorted())
      lines.push(...(await collectSystem(path.join(fromCaller(from), system), release)))
    const sums = path.join(release, 'SHA256SUMS')
    await writeFile(sums, lines.map((line) => `${line}\n`).join(''))
    if (key) await withSigningKey(key, (signer) => signer.sign(sums, `${sums}.asc`, 'detached'))
    else log(`SHA256SUMS is not signed: ${KEY_VARIABLE} is not set.`)
    log(`${lines.length} files are in ${release}.`)
    return 0
  },
)

/** @param {string} folder @param {string} release @returns {Promise<readonly string[]>} the lines of its checksums */
async function collectSystem(folder, release) {
  const lines = readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')
  const listed = lines.map((line) => line.slice(66))
  const stray = (await readdir(folder)).find((name) => name !== 'SHA256SUMS' && !listed.includes(name))
  if (stray !== undefined) throw new ExpectedFailure(`${path.join(folder, stray)} is not in SHA256SUMS.`)
  for (const [index, name] of listed.entries()) {
    const file = path.join(folder, name)
    if ((await sha256Of(file).catch(() => null)) !== lines[index]?.slice(0, 64))
      throw new ExpectedFailure(`${file} is missing or differs from its checksum.`)
    await copyFile(file, path.join(release, name))
  }
  return lines
}
