import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { send } from '../contract/raw-http.ts'
import { newSession, sha256 } from '../contract/service.ts'
import { get, makeFolder, start } from '../integration/server-support.ts'
import { linux, needs } from '../support/needs.ts'
import { until } from '../support/station.ts'

/** True if the system lists an open connection between the server and this client port. */
const isConnected = (port: number, clientPort: number): boolean => {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .some((line) => new RegExp(`:${hex(port)} \\w+:${hex(clientPort)} 01 `).test(line))
}

describe('the server on one computer', () => {
  test('disconnects a client that never reads its answer', needs(linux), async () => {
    const server = await start(await makeFolder(), '--client-timeout-s', '1')
    // JSON needs six bytes for `\u0001`, so the list below has 18 MB. The buffers of a connection hold much less.
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

  test('after a kill, completes a session without reading the hashed parts again', async () => {
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
})
