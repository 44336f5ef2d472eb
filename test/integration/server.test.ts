import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { get as getSecurely } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { UploadPart } from '../../shared/contract/control-api.ts'
import { send } from '../contract/raw-http.ts'
import { expectError, newSession, patterned, sha256 } from '../contract/service.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { makeCertificate } from '../support/certificate.ts'
import { runServerCommand } from '../support/server-process.ts'
import { get, makeFolder, start } from './server-support.ts'

describe('the server on one computer', () => {
  test('accepts a recording without any set-up, and keeps it across a restart', async () => {
    const data = await makeFolder()
    const first = await start(data)
    const client = new RetryingClient(first.baseUrl, first.key)
    const id = await client.upload(patterned(2_500), 'run.bin')
    expect((await client.waitUntilProcessed(id)).status).toBe('processed')
    expect(await first.stop()).toBe(0)
    const second = await start(data)
    expect(second.key).toBeUndefined()
    const session = await new RetryingClient(second.baseUrl, first.key).waitUntilProcessed(id)
    expect(session).toMatchObject({ status: 'processed', sha256: sha256(patterned(2_500)) })
  })

  test('ends if a port is taken, and prints the first key at the next start', async () => {
    const data = await makeFolder()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const taken = String((other.address() as AddressInfo).port)
    const ports = (port: string, metricsPort: string) =>
      ['--port', port, '--upload-port', '0', '--metrics-port', metricsPort] as const
    for (const flags of [ports(taken, '0'), ports('0', taken)]) {
      const { code, out, err } = await runServerCommand(['--data', data, ...flags])
      expect([code, out, err]).toEqual([1, '', expect.stringContaining('The port is taken')])
    }
    const server = await start(data)
    expect((await get(`${server.baseUrl}/v1/sessions`, server.key)).status).toBe(200)
  })

  test('asks again for a part whose file is lost, for example after a restored backup', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const bytes = patterned(2_500)
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
    const call = (method: string, path: string, body?: unknown) =>
      send({ method, url: `${server.baseUrl}/v1/sessions${path}`, headers, body: JSON.stringify(body) ?? '' })
    const { id } = (await call('POST', '', newSession(bytes))).json() as { id: string }
    const etags = new Map<number, string>()
    /** Sends the parts that the session lists as missing, and returns their numbers. */
    const sendMissing = async () => {
      const { upload } = (await call('GET', `/${id}`)).json() as { upload: { parts: UploadPart[] } }
      for (const { number, url } of upload.parts) {
        const body = bytes.subarray((number - 1) * 1_000, number * 1_000)
        const checksum = { 'x-amz-checksum-sha256': sha256(body, 'base64') }
        etags.set(number, (await send({ method: 'PUT', url, headers: checksum, body })).headers.etag!)
      }
      return upload.parts.map(({ number }) => number)
    }
    const complete = () =>
      call('POST', `/${id}/complete`, { parts: [...etags].map(([number, etag]) => ({ number, etag })) })
    expect(await sendMissing()).toEqual([1, 2, 3])
    const lost = readdirSync(path.join(data, 'parts')).find((name) => name.startsWith(`${id}-2-`))
    rmSync(path.join(data, 'parts', lost!))
    expectError(await complete(), 409, 'conflict', 'parts_missing', 'parts[1]')
    await expect.poll(() => server.stderr()).toContain(`${id} lost the bytes of 1 of 3 parts`)
    expect(await sendMissing()).toEqual([2])
    expect((await complete()).status).toBe(200)
  })

  test('finishes a part in flight before it shuts down', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const client = new RetryingClient(server.baseUrl, server.key)
    const bytes = patterned(1_000)
    const created = (await client.call('POST', '/v1/sessions', newSession(bytes))).json() as {
      upload: { parts: { url: string }[] }
    }
    const headers = { 'x-amz-checksum-sha256': sha256(bytes, 'base64'), 'content-length': bytes.length }
    const put = request(created.upload.parts[0]!.url, { method: 'PUT', headers })
    const answerStatus = new Promise<number>((resolve, reject) => {
      put.on('response', (response) => resolve(response.resume().statusCode!)).on('error', reject)
    })
    put.write(bytes.subarray(0, 400))
    // Wait until the server has begun to store the part.
    await expect.poll(() => readdirSync(path.join(data, 'parts')).length).toBe(1)
    const exitCode = server.stop()
    await expect.poll(() => server.stderr()).toContain('"message":"stopping"')
    // Under systemd, the server gets a second signal: systemd also signals the launcher, which forwards the signal.
    server.child.kill('SIGTERM')
    await expect
      .poll(() =>
        get(`${server.baseUrl}/healthz`).then(
          () => 'answers',
          () => 'closed',
        ),
      )
      .toBe('closed')
    put.end(bytes.subarray(400))
    expect(await answerStatus).toBe(200)
    expect(await exitCode).toBe(0)
  })

  test('reports health and metrics, and logs each request with its ID', async () => {
    const server = await start(await makeFolder())
    expect((await get(`${server.baseUrl}/healthz`)).status).toBe(200)
    expect((await get(`${server.baseUrl}/readyz`)).status).toBe(200)
    const answer = await get(`${server.baseUrl}/v1/sessions`, server.key)
    const { text } = await get(server.metricsUrl)
    expect(text).toContain('sluice_server_requests_total{route="list",status="200"} 1')
    await expect.poll(() => server.stderr()).toContain(`"request_id":"${answer.headers['request-id']}"`)
    for (const line of server.stderr().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('time')
  })

  test('refuses the metrics to a web page, even with DNS rebinding', async () => {
    const { metricsUrl } = await start(await makeFolder())
    const status = async (headers: Record<string, string>) =>
      (await send({ method: 'GET', url: metricsUrl, headers })).status
    const { port } = new URL(metricsUrl)
    expect(await status({ host: `rebound.example:${port}` })).toBe(403)
    expect(await status({ origin: 'https://page.example' })).toBe(403)
    expect(await status({ host: `localhost:${port}` })).toBe(200)
  })

  test('speaks TLS with the certificate that the flags name', async () => {
    const data = await makeFolder()
    const { cert, key } = makeCertificate('localhost', [127, 0, 0, 1])
    writeFileSync(path.join(data, 'cert.pem'), cert)
    writeFileSync(path.join(data, 'key.pem'), key)
    const files = [
      '--tls-cert-file',
      path.join(data, 'cert.pem'),
      '--tls-key-file',
      path.join(data, 'key.pem'),
    ]
    const server = await start(path.join(data, 'data'), ...files)
    expect([server.baseUrl, server.uploadUrl].every((url) => url.startsWith('https://'))).toBe(true)
    const status = await new Promise((resolve, reject) => {
      getSecurely(`${server.baseUrl}/healthz`, { ca: cert }, (answer) =>
        resolve(answer.resume().statusCode),
      ).on('error', reject)
    })
    expect(status).toBe(200)
  })
})
