import { rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkCertificate } from '../../../../server/cli/check-certificate.ts'
import { makeCertificate } from '../../../support/certificate.ts'

const dayMs = 86_400_000

test('the check reports a certificate that is expired, not yet valid or not in PEM', () => {
  const { certFile, ...tls } = makeCertificate()
  rmSync(path.dirname(certFile), { recursive: true })
  const now = Date.now()
  expect(checkCertificate(tls, now).problem).toBe(null)
  expect(checkCertificate(tls, now + 2 * dayMs).problem).toMatch(/^expired at 20/)
  expect(checkCertificate(tls, now - 2 * dayMs).problem).toMatch(/^valid only from 20/)
  expect(checkCertificate({ ...tls, cert: 'x' }, now).problem).toBe('tls_cert_file has no certificate in PEM')
})
