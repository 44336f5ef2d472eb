import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { ExpectedFailure } from '../launcher/command.mjs'
import { runTool } from './run-tool.mjs'

const run = promisify(execFile)

/**
 * @typedef {object} Signer
 * @property {string} home the home folder of gpg, which contains only this key
 * @property {string} fingerprint
 * @property {string} publicKey
 * @property {(file: string, signature: string, kind: 'inline' | 'detached') => Promise<void>} sign
 */

/**
 * Imports a private key into a temporary gpg home, so that gpg does not use the user's own keys.
 *
 * @template T
 * @param {string} privateKey
 * @param {(signer: Signer) => Promise<T>} use
 */
export const withSigningKey = async (privateKey, use) => {
  // In the system's temporary folder, because gpg creates sockets in its home, and their paths must be short. Only this
  // user can read a folder of mkdtemp.
  const home = await mkdtemp(path.join(tmpdir(), 'sluice-gpg-'))
  const gpg = (/** @type {string[]} */ ...args) =>
    runTool('gpg', '--homedir', home, '--batch', '--yes', ...args)
  try {
    const importRun = run('gpg', ['--homedir', home, '--batch', '--import'])
    importRun.child.stdin?.end(privateKey)
    // Do not show gpg's own message, because it could quote the key.
    await importRun.catch(() => {
      throw new ExpectedFailure('gpg could not import the private key. It must have no passphrase.')
    })
    const keyList = await gpg('--with-colons', '--list-secret-keys')
    const [fingerprint, ...otherFingerprints] = [
      ...keyList.matchAll(/^sec:.*\n(?:grp:.*\n)*fpr:+([0-9A-F]+):/gm),
    ].map((found) => found[1])
    if (fingerprint === undefined || otherFingerprints.length > 0)
      throw new ExpectedFailure('the environment must contain exactly one private key.')
    return await use({
      home,
      fingerprint,
      publicKey: await gpg('--armor', '--export', fingerprint),
      sign: async (file, signature, kind) => {
        await rm(signature, { force: true })
        const signOptions = kind === 'inline' ? ['--clear-sign'] : ['--armor', '--detach-sign']
        await gpg(
          '--local-user',
          fingerprint,
          '--digest-algo',
          'SHA512',
          ...signOptions,
          '--output',
          signature,
          file,
        )
        await gpg('--verify', signature, ...(kind === 'inline' ? [] : [file]))
      },
    })
  } finally {
    await run('gpgconf', ['--homedir', home, '--kill', 'all']).catch(() => undefined)
    await rm(home, { recursive: true, force: true })
  }
}
