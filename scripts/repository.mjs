import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { addDebs } from './building/apt-repository.mjs'
import { withSigningKey } from './building/signing-key.mjs'
import { addRpms } from './building/yum-repository.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'
import { requirePrograms } from './runtime/system-libraries.mjs'

const KEY_VARIABLE = 'SLUICE_REPOSITORY_KEY'
const isDeb = (/** @type {string} */ file) => file.endsWith('.deb')

/**
 * Adds packages to a signed repository for apt and yum, which any web server can serve.
 */
await command(
  {
    usage: 'npm run repository -- FOLDER [--from FOLDER]',
    options: { from: { type: 'string' } },
    allowPositionals: true,
  },
  async ({ from }, [target, ...extraArguments]) => {
    if (target === undefined || extraArguments.length > 0)
      throw new ExpectedFailure('name one folder for the repository.')
    // Child processes must not get the key.
    const { [KEY_VARIABLE]: key, ...env } = process.env
    if (!key?.includes('PRIVATE KEY BLOCK'))
      throw new ExpectedFailure(
        `put a private key into the environment: ${KEY_VARIABLE}="$(gpg --armor --export-secret-keys KEY)"`,
      )
    process.env = env
    await requirePrograms(
      'the repository',
      [
        { name: 'gpg', packageName: 'gpg' },
        { name: 'apt-ftparchive', packageName: 'apt-utils' },
        { name: 'createrepo_c', packageName: 'createrepo-c' },
        { name: 'rpmsign', packageName: 'rpm' },
      ],
      { env },
    )
    const resolveFromCaller = (/** @type {string} */ name) =>
      path.resolve(process.env.INIT_CWD ?? process.cwd(), name)
    const repository = resolveFromCaller(target)
    const packages = await packagesIn(from === undefined ? path.join(ROOT, 'dist') : resolveFromCaller(from))
    await withSigningKey(key, async (signer) => {
      await mkdir(repository, { recursive: true })
      await refuseOtherKey(repository, signer.publicKey)
      await addDebs(path.join(repository, 'apt'), packages.filter(isDeb), signer)
      await addRpms(
        path.join(repository, 'yum'),
        packages.filter((file) => !isDeb(file)),
        signer,
      )
    })
    for (const file of packages) log(`${path.basename(file)} is in ${repository}.`)
    return 0
  },
)

/** @param {string} folder */
async function packagesIn(folder) {
  const names = existsSync(folder) ? await readdir(folder) : []
  const packages = names.filter((name) => /^sluice-agent.*\.(deb|rpm)$/.test(name))
  if (packages.length === 0)
    throw new ExpectedFailure(`${folder} contains no packages; run: npm run package -- --release`)
  return packages.map((name) => path.join(folder, name))
}

/** Refuses a different key for an existing repository, because its stations trust only the old key. */
async function refuseOtherKey(/** @type {string} */ repository, /** @type {string} */ publicKey) {
  const file = path.join(repository, 'sluice.asc')
  if (!existsSync(file)) return writeFile(file, publicKey)
  if ((await readFile(file, 'utf8')) !== publicKey)
    throw new ExpectedFailure(
      `${file} is a different key. Stations would refuse these packages; to change the key, replace this file first.`,
    )
}
