import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isoTime } from '../clock.ts'
import type { Tls } from '../http-server.ts'
import type { Finding } from './finding.ts'

const subject = 'certificate'

/**
 * Checks that the certificate is valid now and that the key belongs to it. Does not return Node's error messages,
 * because they could quote the key.
 */
export function checkCertificate({ cert, key }: Tls, now: number): Finding {
  const certificate = parse(() => new X509Certificate(cert))
  if (certificate === null) return { subject, problem: 'tls_cert_file has no certificate in PEM' }
  const privateKey = parse((): KeyObject => createPrivateKey(key))
  if (privateKey === null)
    return { subject, problem: 'tls_key_file has no private key in PEM without a password' }
  if (!certificate.checkPrivateKey(privateKey))
    return { subject, problem: 'tls_key_file is not the key of the certificate in tls_cert_file' }
  const validFrom = Date.parse(certificate.validFrom)
  const validTo = Date.parse(certificate.validTo)
  if (now < validFrom) return { subject, problem: `valid only from ${isoTime(validFrom)}` }
  if (now > validTo) return { subject, problem: `expired at ${isoTime(validTo)}` }
  return { subject, problem: null, note: `ok, valid until ${isoTime(validTo)}` }
}

function parse<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
