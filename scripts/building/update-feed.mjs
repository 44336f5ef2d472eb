import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ExpectedFailure } from '../launcher/command.mjs'

/** Must be the same as `SIGNED_PREFIX` in `main/agent/service/feed-index.ts`. */
const SIGNED_PREFIX = 'sluice update feed 1\n'
export const INDEX = 'feed.json'
const PUBLIC_KEY = 'feed.pub'
const DAY_MS = 24 * 3_600_000

/** @type {Readonly<Record<string, string>>} */
const systems = { '.exe': 'win32', '.deb': 'linux', '.rpm': 'linux', '.zip': 'darwin' }
const machines = [
  { machine: 'arm64', pattern: /arm64|aarch64/i },
  { machine: 'x64', pattern: /x64|x86_64|amd64/i },
]

/**
 * @typedef {object} Release
 * @property {string} channel
 * @property {string} version
 * @property {string} system
 * @property {string} machine
 * @property {string} file
 * @property {number} size
 * @property {string} sha256
 * @property {string} released_at
 */

/**
 * The public key as one line of base64, as in the setting `updates.feed_key`.
 *
 * @param {import('node:crypto').KeyObject} key
 */
const keyLine = (key) => createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')

/** @param {string} pem */
const readKey = (pem) => {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Do not show Node's own message, because it could quote the key.
  }
  throw new ExpectedFailure('the private key of the feed must be an ed25519 key without a passphrase.')
}

/**
 * Reads system, processor and version from the name of an installer. Returns null for any other file, and for an
 * installer for tests.
 */
export const describeInstaller = (/** @type {string} */ name) => {
  const system = systems[path.extname(name).toLowerCase()]
  // The file names of Debian and rpm packages contain `1.0.0~rc.1` for the pre-release `1.0.0-rc.1`.
  const version = /\d+\.\d+\.\d+(?:[-~](?:alpha|beta|rc)[.\d]*\d)?/.exec(name)?.[0].replace('~', '-')
  if (system === undefined || version === undefined || !/^sluice/i.test(name) || /fortests/.test(name))
    return null
  const machine = machines.find(({ pattern }) => pattern.test(name))?.machine ?? 'x64'
  return { system, machine, version, file: name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') }
}

/**
 * Adds installers to an update feed, which is a folder of plain files, and signs the index of the feed. Without new
 * installers, the index keeps its releases and gets a new expiry.
 *
 * @param {{
 *   folder: string, installers: readonly string[], channel: string, privateKey: string,
 *   validDays: number, nowMs: number
 * }} options
 * @returns {Promise<{ key: string, releases: readonly Release[], expiresAt: string }>}
 */
export const publishFeed = async ({ folder, installers, channel, privateKey, validDays, nowMs }) => {
  const key = readKey(privateKey)
  await mkdir(folder, { recursive: true })
  await refuseOtherKey(folder, keyLine(key))
  const before = await readIndex(folder, key)
  const added = []
  for (const installer of installers) added.push(await addInstaller(folder, installer, channel, nowMs))
  const names = new Set(added.map(({ file, channel: into }) => `${into} ${file}`))
  const releases = [
    ...before.releases.filter(({ file, channel: earlier }) => !names.has(`${earlier} ${file}`)),
    ...added,
  ]
  const expiresAt = new Date(nowMs + validDays * DAY_MS).toISOString()
  const signed = JSON.stringify(
    {
      product: 'sluice',
      // Use the time, so that `sequence` grows even if the folder was lost and created again.
      sequence: Math.max(before.sequence + 1, Math.floor(nowMs / 1000)),
      published_at: new Date(nowMs).toISOString(),
      expires_at: expiresAt,
      releases,
    },
    null,
    1,
  )
  const signature = sign(null, Buffer.from(SIGNED_PREFIX + signed), key).toString('base64')
  const publicKey = path.join(folder, PUBLIC_KEY)
  if (!existsSync(publicKey)) await writeFile(publicKey, `${keyLine(key)}\n`)
  const target = path.join(folder, INDEX)
  // Publish the index last, because it names the installers. The rename keeps stations from reading half an index.
  await writeFile(`${target}.new`, `${JSON.stringify({ signed, signature }, null, 1)}\n`)
  await rename(`${target}.new`, target)
  return { key: keyLine(key), releases, expiresAt }
}

/** Refuses a new key for a published feed: stations accept only the key in their settings. */
const refuseOtherKey = async (/** @type {string} */ folder, /** @type {string} */ line) => {
  const file = path.join(folder, PUBLIC_KEY)
  if (existsSync(file) && (await readFile(file, 'utf8')).trim() !== line)
    throw new ExpectedFailure(
      `${file} is a different key. Stations would refuse this feed; to change the key, replace this file first.`,
    )
}

/**
 * Reads the published index. Refuses an index with another signature: an attacker may have changed it, and a new
 * signature would make the change valid.
 *
 * @param {string} folder
 * @param {import('node:crypto').KeyObject} key
 * @returns {Promise<{ sequence: number, releases: Release[] }>}
 */
const readIndex = async (folder, key) => {
  const file = path.join(folder, INDEX)
  if (!existsSync(file)) return { sequence: 0, releases: [] }
  const signed = ownSigned(await readFile(file, 'utf8'), key)
  if (signed === null)
    throw new ExpectedFailure(
      `${file} is not signed with this key: the file was changed, or the key is new. Nothing was signed. Restore the file from a backup, or delete it and publish your own copies of the installers again.`,
    )
  return JSON.parse(signed)
}

/**
 * Returns the signed text, or null if the signature is not from this key.
 *
 * @param {string} text
 * @param {import('node:crypto').KeyObject} key
 */
const ownSigned = (text, key) => {
  try {
    const { signed, signature } = JSON.parse(text)
    const bytes = Buffer.from(SIGNED_PREFIX + signed)
    return verify(null, bytes, createPublicKey(key), Buffer.from(signature, 'base64')) ? signed : null
  } catch {
    return null
  }
}

/**
 * @param {string} folder
 * @param {string} installer
 * @param {string} channel
 * @param {number} nowMs
 * @returns {Promise<Release>}
 */
const addInstaller = async (folder, installer, channel, nowMs) => {
  const description = describeInstaller(path.basename(installer))
  if (description === null) throw new ExpectedFailure(`${installer} is not an installer of Sluice.`)
  const content = await readFile(installer)
  const target = path.join(folder, description.file)
  if (!existsSync(target)) {
    await copyFile(installer, `${target}.new`)
    await rename(`${target}.new`, target)
  } else if (!(await readFile(target)).equals(content))
    throw new ExpectedFailure(
      `${target} is already published with different content. A published version must not change: increase the version number.`,
    )
  const { system, machine, version, file } = description
  return {
    channel,
    version,
    system,
    machine,
    file,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    released_at: new Date(nowMs).toISOString(),
  }
}
