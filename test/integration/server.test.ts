import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { get as getSecurely } from 'node:https'
import { connect } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { send } from '../contract/raw-http.ts'
import { newSession, patterned, sha256 } from '../contract/service.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { makeCertificate } from '../support/certificate.ts'
import { linux, needs } from '../support/needs.ts'
import { until } from '../support/station.ts'
import { get, makeFolder, start } from './server-support.ts'

/** True if the system lists an open connection of the server from this client port. */
const isConnected = (port: number, clientPort: number): boolean => {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .some((line) => new RegExp(`:${hex(port)} \\w+:${hex(clientPort)} 01 `).test(line))
}

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

  test('disconnects a client that never reads its answer', needs(linux), async () => {
    const server = await start(await makeFolder(), '--client-timeout-s', '1')
    const notes = '\u0001'.repeat(10_000)
    for (let n = 0; n < 300; n += 1) {
      const body = JSON.stringify({ ...newSession(Buffer.from(`run ${n}`)), notes })
      const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
      expect(
        (await send({ method: 'POST', url: `${server.baseUrl}/v1/sessions`, headers, body })).status,
      ).toBe(200)
    }
    const { hostname, port } = new URL(server.baseUrl)
    const socket = connect(Number(port), hostname).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    const clientPort = socket.localPort ?? 0
    expect(isConnected(Number(port), clientPort)).toBe(true)
    // The client has no listener for data, so it never reads the answer.
    socket.write(
      `GET /v1/sessions?limit=500 HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
    )
    await until('the server ends the connection', () => !isConnected(Number(port), clientPort))
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
    // The server has begun to store the part.
    await expect.poll(() => readdirSync(path.join(data, 'parts')).length).toBe(1)
    const exitCode = server.stop()
    await expect.poll(() => server.stderr()).toContain('"message":"stopping"')
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

  test('logs the client address that a trusted proxy forwards, and ignores X-Forwarded-For from anyone else', async () => {
    const clientOf = async (...flags: string[]) => {
      const server = await start(await makeFolder(), ...flags)
      const headers = { authorization: `Bearer ${server.key}`, 'x-forwarded-for': '198.51.100.1' }
      const { headers: answer } = await send({ method: 'GET', url: `${server.baseUrl}/v1/sessions`, headers })
      const requestId = String(answer['request-id'])
      await expect.poll(() => server.stderr()).toContain(requestId)
      const lines = server.stderr().trim().split('\n')
      return JSON.parse(lines.find((line) => line.includes(requestId))!).client
    }
    expect(await clientOf()).toBe('127.0.0.1')
    expect(await clientOf('--trusted-proxies', '10.0.0.0/8')).toBe('127.0.0.1')
    expect(await clientOf('--trusted-proxies', '10.0.0.0/8, 127.0.0.1')).toBe('198.51.100.1')
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

  test('replays the full answer for an Idempotency-Key, but stores only a short form of it', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const body = JSON.stringify({ ...newSession(Buffer.alloc(0)), bytes: 10_000_000, part_size: 1_000 })
    const headers = {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'many-parts',
    }
    const create = () => send({ method: 'POST', url: `${server.baseUrl}/v1/sessions`, headers, body })
    const first = await create()
    const { id, upload } = first.json() as { id: string; upload: { parts: unknown[] } }
    expect(upload.parts).toHaveLength(10_000)
    await send({ method: 'DELETE', url: `${server.baseUrl}/v1/sessions/${id}`, headers })
    expect((await create()).text).toBe(first.text)
    await server.stop()
    const db = new Database(path.join(data, 'server.db'), { readonly: true })
    const longest = db.prepare('SELECT max(length(answer)) FROM idempotency').pluck().get()
    db.close()
    expect(longest).toBeLessThan(1_000)
  })

  test('completes a session without reading the parts that it hashed before it was killed', async () => {
    const data = await makeFolder()
    const first = await start(data)
    const partSizeBytes = 24_000_000
    const bytes = Buffer.alloc(3 * partSizeBytes)
    const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify(newSession(bytes, { partSizeBytes }))
    const created = await send({ method: 'POST', url: `${first.baseUrl}/v1/sessions`, headers, body })
    const { id, upload } = created.json() as { id: string; upload: { parts: { url: string }[] } }
    const part = bytes.subarray(0, partSizeBytes)
    const checksum = { 'x-amz-checksum-sha256': sha256(part, 'base64') }
    const etags: { number: number; etag: string }[] = []
    for (const [index, { url }] of upload.parts.entries()) {
      const { headers: answer } = await send({ method: 'PUT', url, headers: checksum, body: part })
      etags.push({ number: index + 1, etag: answer.etag! })
    }
    const metric = async (url: string, name: string) =>
      Number(new RegExp(`^${name} (.*)$`, 'm').exec((await get(url)).text)?.[1] ?? 0)
    await until(
      'the server has hashed all parts',
      async () => (await metric(first.metricsUrl, 'sluice_server_prefix_bytes_total')) === bytes.length,
    )
    await first.kill()
    const second = await start(data)
    const complete = await send({
      method: 'POST',
      url: `${second.baseUrl}/v1/sessions/${id}/complete`,
      headers,
      body: JSON.stringify({ parts: etags }),
    })
    expect(complete.status).toBe(200)
    const { text } = await get(second.metricsUrl)
    expect(text).toContain('sluice_server_completion_bytes_total 0\n')
  })

  test('speaks TLS with its own certificate', async () => {
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
