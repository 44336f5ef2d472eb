import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { windowsSigner } from '../../scripts/building/windows-signing.mjs'
import { needs, program } from '../support/needs.ts'

describe(
  'the signature of a Windows program',
  needs(program('osslsigncode'), program('openssl'), program('makensis')),
  () => {
    let work: string
    let timestamps: Server
    let env: NodeJS.ProcessEnv
    const inWork = (name: string) => path.join(work, name)
    const openssl = (...args: readonly string[]) =>
      execFileSync('openssl', args, { cwd: work, encoding: 'utf8', stdio: 'pipe' })

    /** A certificate for one purpose, signed by the authority of this test. */
    const certify = (name: string, purpose: string) => {
      openssl(
        'req',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-subj',
        `/CN=${name}`,
        '-out',
        `${name}.csr`,
      )
      writeFileSync(
        inWork(`${name}.ext`),
        `keyUsage=critical,digitalSignature\nextendedKeyUsage=${purpose}\n`,
      )
      openssl(
        ...[
          'x509',
          '-req',
          '-in',
          `${name}.csr`,
          '-CA',
          'ca.pem',
          '-CAkey',
          'ca.key',
          '-CAcreateserial',
          '-days',
          '2',
        ],
        ...['-extfile', `${name}.ext`, '-out', `${name}.pem`],
      )
    }
    const newProgram = () => {
      const file = inWork('program.exe')
      const script = inWork('program.nsi')
      writeFileSync(
        script,
        `Unicode true\nOutFile "${file}"\nRequestExecutionLevel user\nSection\nSectionEnd\n`,
      )
      execFileSync('makensis', ['-V1', script])
      return file
    }

    beforeAll(async () => {
      work = mkdtempSync(path.join(tmpdir(), 'sluice-signing-'))
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'ca.key',
        '-subj',
        '/CN=Test CA',
        '-days',
        '2',
        '-out',
        'ca.pem',
      )
      certify('signer', 'codeSigning')
      certify('clock', 'critical,timeStamping')
      writeFileSync(inWork('serial'), '01\n')
      writeFileSync(
        inWork('tsa.cnf'),
        '[tsa]\ndefault_tsa=t\n[t]\nserial=serial\nsigner_cert=clock.pem\ncerts=ca.pem\nsigner_key=clock.key\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\naccuracy=secs:1\ness_cert_id_chain=no\ness_cert_id_alg=sha256\n',
      )
      timestamps = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          writeFileSync(inWork('request.tsq'), Buffer.concat(chunks))
          openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'request.tsq', '-out', 'reply.tsr')
          response
            .setHeader('content-type', 'application/timestamp-reply')
            .end(readFileSync(inWork('reply.tsr')))
        })
      })
      await new Promise<void>((resolve) => timestamps.listen(0, '127.0.0.1', resolve))
      env = {
        SLUICE_WINDOWS_CERTIFICATE: readFileSync(inWork('signer.pem'), 'utf8'),
        SLUICE_WINDOWS_KEY: readFileSync(inWork('signer.key'), 'utf8'),
        SLUICE_WINDOWS_TIMESTAMP: `http://127.0.0.1:${(timestamps.address() as AddressInfo).port}/`,
        SLUICE_WINDOWS_CA: inWork('ca.pem'),
      }
    })
    afterAll(() => {
      timestamps?.close()
      rmSync(work, { recursive: true, force: true })
    })

    test('has a timestamp, is verified after signing, and is invalid after a byte has changed', async () => {
      const file = newProgram()
      const signer = await windowsSigner(env)
      try {
        await signer?.sign([file])
      } finally {
        await signer?.close()
      }
      const verify = () =>
        execFileSync(
          'osslsigncode',
          ['verify', '-CAfile', inWork('ca.pem'), '-TSA-CAfile', inWork('ca.pem'), '-in', file],
          { encoding: 'utf8', stdio: 'pipe' },
        )
      expect(verify()).toMatch(
        /Timestamp (verified|Server Signature verification: ok)|The signature is timestamped/i,
      )
      const bytes = readFileSync(file)
      bytes.writeUInt8(bytes.readUInt8(2000) ^ 1, 2000)
      writeFileSync(file, bytes)
      expect(verify).toThrow()
    })

    test('is refused if the certificate is not trusted, and the program stays unchanged', async () => {
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'other.key',
        '-subj',
        '/CN=Other CA',
        '-days',
        '2',
        '-out',
        'other.pem',
      )
      const file = newProgram()
      const original = readFileSync(file)
      const signer = await windowsSigner({ ...env, SLUICE_WINDOWS_CA: inWork('other.pem') })
      try {
        await expect(signer?.sign([file])).rejects.toThrow('osslsigncode failed')
      } finally {
        await signer?.close()
      }
      expect(readFileSync(file).equals(original)).toBe(true)
    })

    test('is left out if no setting exists, and fails if only the setting of the timestamp service is missing', async () => {
      expect(await windowsSigner({})).toBeNull()
      const { SLUICE_WINDOWS_TIMESTAMP: _, ...withoutTimestamp } = env
      await expect(windowsSigner(withoutTimestamp)).rejects.toThrow('SLUICE_WINDOWS_TIMESTAMP')
    })

    test('leaves no key on the disk', async () => {
      const signer = await windowsSigner(env)
      const folder = signer?.folder ?? ''
      expect(existsSync(path.join(folder, 'key.pem'))).toBe(true)
      await signer?.close()
      expect(existsSync(folder)).toBe(false)
    })
  },
)
