/** Names of fields whose values are secret, in texts and in objects. */

/** Matches the end of a name: `my_access_token`, `X-Api-Key`, `proxyPassword`. */
const secretEnd =
  /(?:authorization|cookie|signature|signatureprovided|credential|token|secret|password|passwd|passphrase|pwd|bearer|apikey|accesskey|accesskeyid|secretkey|privatekey|sig|heartbeaturl|alerturl)s?$/

/** Storage parameters: dates, credentials, tokens and signatures. */
const storageName = /^x-(?:amz|goog|ms)-/

/** The values of these fields contain spaces and commas, so they extend to the end of the line. */
const wholeLineEnd = /(?:authorization|cookie|servicesignature)$/

/** Sluice checks only this many characters at the start or end of a name, so a very long name costs no time. */
const MAX_NAME_LENGTH = 64

const normalise = (name: string): string =>
  name
    .slice(-MAX_NAME_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

export const isStorageName = (name: string): boolean =>
  storageName.test(name.slice(0, MAX_NAME_LENGTH).toLowerCase())

export const isSecretName = (name: string): boolean => isStorageName(name) || secretEnd.test(normalise(name))

export const takesWholeLine = (name: string): boolean => wholeLineEnd.test(normalise(name))
