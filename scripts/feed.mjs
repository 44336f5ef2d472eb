import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describeInstaller, INDEX, publishFeed } from './building/update-feed.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'

const KEY_VARIABLE = 'SLUICE_FEED_KEY'
const DEFAULT_VALID_DAYS = 90
const MAX_VALID_DAYS = 730

/** Adds installers to a signed update feed, which any web server can serve. */
await command(
  {
    usage: 'npm run feed -- FOLDER [--from FOLDER] [--channel NAME] [--valid-days NUMBER] [--sign-only]',
    options: {
      from: { type: 'string' },
      channel: { type: 'string' },
      'valid-days': { type: 'string' },
      'sign-only': { type: 'boolean' },
    },
    allowPositionals: true,
  },
  async (values, [target, ...extraArguments]) => {
    if (target === undefined || extraArguments.length > 0)
      throw new ExpectedFailure('name one folder for the feed.')
    const { [KEY_VARIABLE]: privateKey } = process.env
    if (!privateKey?.includes('PRIVATE KEY'))
      throw new ExpectedFailure(
        `put a private key into the environment: ${KEY_VARIABLE}="$(cat feed.key)". To make one: openssl genpkey -algorithm ed25519 -out feed.key`,
      )
    const channel = values.channel ?? 'stable'
    if (!/^[a-z][a-z0-9-]{0,31}$/.test(channel))
      throw new ExpectedFailure(
        'the name of a channel starts with a small letter and has at most 32 small letters, digits and hyphens.',
      )
    const validDays = Number(values['valid-days'] ?? DEFAULT_VALID_DAYS)
    if (!Number.isInteger(validDays) || validDays < 1 || validDays > MAX_VALID_DAYS)
      throw new ExpectedFailure(`--valid-days takes a number from 1 to ${MAX_VALID_DAYS}.`)
    const resolveFromCaller = (/** @type {string} */ name) =>
      path.resolve(process.env.INIT_CWD ?? process.cwd(), name)
    const source = values.from === undefined ? path.join(ROOT, 'dist') : resolveFromCaller(values.from)
    const installers = values['sign-only'] ? [] : await installersIn(source)
    const folder = resolveFromCaller(target)
    const feed = await publishFeed({ folder, installers, channel, privateKey, validDays, nowMs: Date.now() })
    for (const installer of installers) log(`Added ${path.basename(installer)} to ${folder}.`)
    log(`${path.join(folder, INDEX)} is valid until ${feed.expiresAt}. Its public key: ${feed.key}`)
    return 0
  },
)

/** @param {string} folder */
async function installersIn(folder) {
  const names = existsSync(folder) ? await readdir(folder) : []
  const installers = names.filter((name) => describeInstaller(name) !== null)
  if (installers.length === 0)
    throw new ExpectedFailure(`${folder} contains no installers; run: npm run package -- --release`)
  return installers.map((name) => path.join(folder, name))
}
