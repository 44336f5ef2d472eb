import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TestCertificate = { readonly cert: string; readonly key: string; readonly certFile: string }

/** A self-signed certificate (RFC 5280), valid from yesterday until tomorrow. */
export const makeCertificate = (...hosts: readonly (string | readonly number[])[]): TestCertificate => {
  const [host = [127, 0, 0, 1]] = hosts
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const subject = commonName(typeof host === 'string' ? host : host.join('.'))
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    subject,
    sequence(time(-1), time(1)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames([host, ...hosts.slice(1)]), CA_CONSTRAINTS)),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const certificate = sequence(toBeSigned, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  // No line break after a last line of exactly 64 characters: OpenSSL refuses an empty line.
  const body = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`
  const certFile = join(mkdtempSync(join(tmpdir(), 'sluice-cert-')), 'cert.pem')
  writeFileSync(certFile, cert)
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { cert, key, certFile }
}

const der = (tag: number, content: Buffer): Buffer => {
  const { length } = content
  // The browser's library accepts only the shortest encoding.
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...items: readonly Buffer[]) => der(0x30, Buffer.concat(items))

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

const commonName = (name: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))

const time = (inDays: number) => {
  const text = new Date(Date.now() + inDays * 86_400_000).toISOString()
  return der(0x17, Buffer.from(text.slice(2).replace(/[-:T]|\.\d+/g, '')))
}

const alternativeNames = (hosts: readonly (string | readonly number[])[]) => {
  const names = hosts.map((host) =>
    typeof host === 'string' ? der(0x82, Buffer.from(host)) : der(0x87, Buffer.from(host)),
  )
  return sequence(oid('551d11'), der(0x04, sequence(...names)))
}

/** Basic constraints: the certificate is a CA, because it signs itself. */
const CA_CONSTRAINTS = sequence(
  oid('551d13'),
  der(0x01, Buffer.from([0xff])),
  der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
)
