import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TestCertificate = { readonly cert: string; readonly key: string; readonly certFile: string }

export const makeCertificate = (subject = '/CN=127.0.0.1', names = 'IP:127.0.0.1'): TestCertificate => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cert-'))
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names_ = ['-subj', subject, '-addext', `subjectAltName=${names}`]
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-days', '2', ...names_, '-keyout', keyFile, '-out', certFile],
    {
      stdio: 'ignore',
    },
  )
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8'), certFile }
}
