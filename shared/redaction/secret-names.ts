/** Which names stand before a value that nobody else may read, in texts and in objects alike. */

/** Names run together are names too: `my_access_token`, `X-Api-Key`, `proxyPassword`. */
const secretEnd =
  /(?:authorization|cookie|signature|signatureprovided|credential|token|secret|password|passwd|passphrase|pwd|bearer|apikey|accesskey|accesskeyid|secretkey|privatekey|sig|heartbeaturl|alerturl)s?$/

/** A storage's own family: dates, credentials, tokens and signatures. */
const storageName = /^x-(?:amz|goog|ms)-/

/** Their values have blanks and commas: only the end of the line is surely the end. */
const wholeLineEnd = /(?:authorization|cookie|servicesignature)$/

/** The end of a name decides; looking at no more than this keeps a name of a million letters cheap. */
const mostChars = 64

const bare = (name: string): string =>
  name
    .slice(-mostChars)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

export const isStorageName = (name: string): boolean =>
  storageName.test(name.slice(0, mostChars).toLowerCase())

export const isSecretName = (name: string): boolean => isStorageName(name) || secretEnd.test(bare(name))

export const takesWholeLine = (name: string): boolean => wholeLineEnd.test(bare(name))
