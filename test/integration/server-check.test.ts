import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import { runServerCommand } from '../support/server-process.ts'
import { anyPorts, createOrganisation, makeFolder, start } from './server-support.ts'

const check = (data: string, ...flags: string[]) => runServerCommand(['check', '--data', data, ...flags])
const lineOf = (subject: string, out: string) => out.match(new RegExp(`^${subject}: (.*)$`, 'm'))?.[1]
const portOf = (url: string) => new URL(url).port

/** Opens a port, as a different program would, and returns its number. */
const takePort = async (): Promise<string> => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return String((server.address() as AddressInfo).port)
}

const clockNote = 'clock: not compared, because the database is on this computer'

describe('the check of the server', () => {
  test('checks database, clock, storage, address and keys, and names the one that fails', async () => {
    const data = await makeFolder()
    await createOrganisation(data, 'Lab')
    const failedCheck = await check(data, ...anyPorts)
    expect([failedCheck.code, lineOf('keys', failedCheck.out)]).toEqual([
      1,
      'no key can upload; create one with "key create --write"',
    ])
    const ready = await makeFolder()
    await (await start(ready)).stop()
    const passedCheck = await check(ready, ...anyPorts)
    expect([passedCheck.code, passedCheck.out]).toEqual([
      0,
      `database: ok\n${clockNote}\nbytes: ok\naddress: ok\nkeys: ok\n`,
    ])
  })

  test('runs beside the server, and accepts the ports that this server uses', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const ports = ['--port', portOf(server.baseUrl), '--upload-port', portOf(server.partsUrl)]
    const { code, out } = await check(data, ...ports)
    expect([code, out]).toEqual([
      0,
      `server: running\ndatabase: ok\n${clockNote}\nbytes: ok\naddress: ok\nkeys: ok\n`,
    ])
    const otherServer = await makeFolder()
    await createOrganisation(otherServer, 'Lab')
    const otherCheck = await check(otherServer, ...ports)
    expect(lineOf('address', otherCheck.out)).toBe(
      `port ${portOf(server.baseUrl)} is taken by a different program`,
    )
  })

  test('reports a port that a different program uses', async () => {
    const data = await makeFolder()
    await (await start(data)).stop()
    const port = await takePort()
    for (const flags of [
      ['--port', port, '--upload-port', '0'],
      ['--port', '0', '--upload-port', port],
      [...anyPorts, '--metrics-port', port],
    ]) {
      const { code, out } = await check(data, ...flags)
      expect([code, lineOf('address', out)]).toEqual([1, `port ${port} is taken by a different program`])
    }
    await start(data)
    const beside = await check(data, '--port', port, '--upload-port', '0')
    expect(lineOf('address', beside.out)).toBe(`port ${port} is taken by a different program`)
  })

  test('checks that the certificate and its key belong together', async () => {
    const data = await makeFolder()
    await (await start(data)).stop()
    const [own, other] = [makeCertificate(), makeCertificate()]
    for (const { certFile } of [own, other])
      onTestFinished(() => rmSync(path.dirname(certFile), { recursive: true }))
    const checkWith = async (key: string) => {
      const keyFile = path.join(data, 'key.pem')
      writeFileSync(keyFile, key)
      const flags = ['--tls-cert-file', own.certFile, '--tls-key-file', keyFile]
      const { code, out } = await check(data, ...anyPorts, ...flags)
      return [code, lineOf('certificate', out)]
    }
    expect(await checkWith(own.key)).toEqual([0, expect.stringMatching(/^ok, valid until 20/)])
    expect(await checkWith(other.key)).toEqual([
      1,
      'tls_key_file is not the key of the certificate in tls_cert_file',
    ])
    expect(await checkWith('no key')).toEqual([
      1,
      'tls_key_file has no private key in PEM without a password',
    ])
  })

  test('checks storage and address even if the database cannot be used', async () => {
    const folder = await makeFolder()
    const port = await takePort()
    const { code, out } = await runServerCommand([
      'check',
      ...['--database', `postgres://lab@127.0.0.1:${port}/sluice`, '--bytes', pathToFileURL(folder).href],
      ...['--port', port, '--upload-port', '0'],
    ])
    expect(code).toBe(1)
    expect(lineOf('database', out)).toContain('The database cannot be used')
    expect(lineOf('bytes', out)).toBe('ok')
    expect(lineOf('address', out)).toBe(`port ${port} is taken by a different program`)
    for (const subject of ['clock', 'keys'])
      expect(lineOf(subject, out)).toBe('not checked, because the database cannot be used')
  })
})
