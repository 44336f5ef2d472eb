import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ExpectedFailure } from '../launcher/command.mjs'
import { runTool } from './run-tool.mjs'

/**
 * @typedef {object} WindowsSigner
 * @property {(files: readonly string[]) => Promise<void>} sign replaces each file by a signed and verified one
 * @property {string} folder contains the certificate and, without a security module, the key
 * @property {() => Promise<void>} close removes the folder
 */

const SYSTEM_CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Returns the signing variables and removes them from the environment, so that child processes do not get them.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export const takeSigningVariables = (env) => {
  const taken = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('SLUICE_WINDOWS_')))
  for (const name of Object.keys(taken)) delete env[name]
  return taken
}

/**
 * Returns a signer that runs osslsigncode, or null if the environment has neither a certificate nor a key.
 *
 * - SLUICE_WINDOWS_CERTIFICATE: the certificate and its chain, as PEM
 * - SLUICE_WINDOWS_KEY: the private key as PEM, or the address of a key in a security module (`pkcs11:…`)
 * - SLUICE_WINDOWS_PKCS11_MODULE: the library of that module
 * - SLUICE_WINDOWS_TIMESTAMP: the address of a timestamp service, so that signatures stay valid after the certificate
 *   expires
 * - SLUICE_WINDOWS_CA: a file with the certificates to trust, by default those of this system
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<WindowsSigner | null>}
 */
export const windowsSigner = async (env) => {
  const {
    SLUICE_WINDOWS_CERTIFICATE: certificate,
    SLUICE_WINDOWS_KEY: key,
    SLUICE_WINDOWS_TIMESTAMP: timestamp,
    SLUICE_WINDOWS_PKCS11_MODULE: pkcs11Module,
    SLUICE_WINDOWS_CA: trusted = SYSTEM_CERTIFICATES,
  } = env
  if (!certificate && !key) return null
  if (!certificate || !key || !timestamp)
    throw new ExpectedFailure(
      'signing needs SLUICE_WINDOWS_CERTIFICATE, SLUICE_WINDOWS_KEY and SLUICE_WINDOWS_TIMESTAMP.',
    )
  // Other users cannot read a folder that mkdtemp creates.
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-sign-'))
  const certificateFile = path.join(folder, 'certificate.pem')
  await writeFile(certificateFile, certificate)
  const keyFile = path.join(folder, 'key.pem')
  const isInModule = key.startsWith('pkcs11:')
  if (!isInModule) await writeFile(keyFile, key, { mode: 0o600 })
  const keyOptions = isInModule ? ['-pkcs11module', pkcs11Module ?? '', '-key', key] : ['-key', keyFile]
  const signOne = async (/** @type {string} */ file) => {
    const signed = `${file}.signed`
    await runTool(
      'osslsigncode',
      ...['sign', '-h', 'sha256', '-certs', certificateFile, ...keyOptions, '-n', 'Sluice', '-ts', timestamp],
      ...['-in', file, '-out', signed],
    )
    try {
      await runTool('osslsigncode', 'verify', '-CAfile', trusted, '-TSA-CAfile', trusted, '-in', signed)
      await rename(signed, file)
    } finally {
      await rm(signed, { force: true })
    }
  }
  return {
    folder,
    sign: async (files) => {
      for (const file of files) await signOne(file)
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
