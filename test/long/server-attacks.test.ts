import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange, send } from '../contract/raw-http.ts'
import { mcapFile } from '../contract/sample-files.ts'
import { newSession, patterned, sha256 } from '../contract/service.ts'
import { startWebhookReceiver } from '../contract/webhook-receiver.ts'
import { createKey, createOrganisation, get, makeFolder, start } from '../integration/server-support.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { linux, needs } from '../support/needs.ts'

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

const openTwoOrganisations = async (...flags: string[]) => {
  const data = await makeFolder()
  const keys: string[] = []
  for (const name of ['One', 'Two'])
    keys.push((await createKey(data, await createOrganisation(data, name))).key)
  const [one, two] = keys as [string, string]
  return { server: await start(data, ...flags), one, two }
}

describe('an attacker at the lab’s server', () => {
  test('gets no answer, page or event of a different organisation', async () => {
    const { server, one, two } = await openTwoOrganisations('--private-webhooks', 'true')
    const hooks = [await startWebhookReceiver(), await startWebhookReceiver()]
    for (const [index, key] of [one, two].entries()) {
      onTestFinished(() => hooks[index]!.close())
      const body = JSON.stringify({ url: hooks[index]!.url, events: ['session.processed'] })
      const url = `${server.baseUrl}/v1/webhook_endpoints`
      expect((await send({ method: 'POST', url, headers: headersOf(key), body })).status).toBe(200)
    }
    const create = (key: string) =>
      send({
        method: 'POST',
        url: `${server.baseUrl}/v1/sessions`,
        headers: { ...headersOf(key), 'idempotency-key': 'the-same' },
        body: JSON.stringify(newSession(patterned(1_000))),
      })
    const ids = [await create(one), await create(two)].map((answer) => answer.json().id as string)
    expect(ids[0]).not.toBe(ids[1])

    const client = new RetryingClient(server.baseUrl, one)
    const uploaded = [
      await client.upload(patterned(1_000), 'a.txt'),
      await client.upload(patterned(1_000), 'b.txt'),
    ]
    const page = await get(`${server.baseUrl}/v1/sessions?limit=1`, one)
    const cursor = encodeURIComponent(page.json().next_cursor as string)
    const foreignPage = await get(`${server.baseUrl}/v1/sessions?cursor=${cursor}`, two)
    expect((foreignPage.json().data as { id: string }[]).map(({ id }) => id)).toEqual([ids[1]])

    await hooks[0]!.waitForDeliveries(2)
    expect(hooks[0]!.deliveries.map(({ event }) => event.data.object.id).sort()).toEqual(uploaded.sort())
    expect(hooks[1]!.deliveries).toEqual([])
  })

  test('finds no key and no signed URL in the log, wherever a client puts them', async () => {
    const { server, one } = await openTwoOrganisations()
    const created = await send({
      method: 'POST',
      url: `${server.baseUrl}/v1/sessions`,
      headers: headersOf(one),
      body: JSON.stringify({ ...newSession(patterned(1_000)), notes: one }),
    })
    const { upload } = created.json() as { upload: { parts: { url: string }[] } }
    await send({ method: 'PUT', url: upload.parts[0]!.url, body: 'wrong' })
    for (const target of [`/v1/sessions/${one}`, `/v1/sessions?key=${one}`, `/${one}`]) {
      await get(`${server.baseUrl}${target}`, one)
      await get(`${server.uploadUrl}${target}`, one)
    }
    await exchange(server.baseUrl, `GET / HTTP/1.1\r\nAuthorization ${one}\r\n\r\n`)
    const last = await get(`${server.baseUrl}/v1/sessions`, one)
    await expect.poll(() => server.stderr()).toContain(last.headers['request-id'])
    expect(server.stderr()).not.toContain(one)
    expect(server.stderr()).not.toContain('X-Amz-Signature')
  })

  test('reaches no file outside the storage, whatever names and addresses it sends', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const names = { site: '../../../etc', device: 's3://other-bucket/x', filename: 'a%2f..%2f..%2fserver.db' }
    const body = JSON.stringify({ ...newSession(patterned(1_000)), ...names })
    const url = `${server.baseUrl}/v1/sessions`
    const created = await send({ method: 'POST', url, headers: headersOf(server.key), body })
    const { id, upload } = created.json() as { id: string; upload: { parts: { url: string }[] } }
    const checksum = { 'x-amz-checksum-sha256': sha256(patterned(1_000), 'base64') }
    const signed = new URL(upload.parts[0]!.url)
    const put = (target: string) =>
      send({ method: 'PUT', url: `${signed.origin}${target}`, headers: checksum, body: patterned(1_000) })
    for (const target of [
      `/${id}/../../server.db`,
      `/${id}/1/../../server.db`,
      `/%2e%2e/server.db`,
      `/${id}/1%00`,
    ])
      expect([403, 404]).toContain((await put(`${target}${signed.search}`)).status)
    expect((await put(signed.pathname + signed.search)).status).toBe(200)
    for (const wrongId of ['..%2f..%2fserver.db', `${id}%00`, "' OR 1=1 --"])
      expect((await get(`${url}/${encodeURIComponent(wrongId)}`, server.key)).status).toBe(404)
    for (const filename of ['../server.db', 'a/b', 'a\\b', '..'])
      expect(
        (
          await send({
            method: 'POST',
            url,
            headers: headersOf(server.key),
            body: JSON.stringify({ ...newSession(patterned(1_000)), filename }),
          })
        ).status,
      ).toBe(400)
    expect(readdirSync(path.join(data, 'parts'))).toEqual([
      expect.stringMatching(new RegExp(`^${id}-1-[0-9a-f]{12}$`)),
    ])
  })

  test('cannot use a signed URL for a different part, session, size or time', async () => {
    const server = await start(await makeFolder(), '--url-lifetime-s', '60')
    const create = async () => {
      const body = JSON.stringify(newSession(patterned(2_500)))
      const url = `${server.baseUrl}/v1/sessions`
      const answer = await send({ method: 'POST', url, headers: headersOf(server.key), body })
      return answer.json() as { id: string; upload: { parts: { url: string }[] } }
    }
    const [first, second] = [await create(), await create()]
    const { url } = first.upload.parts[0]!
    const put = async (target: string, body: Buffer) =>
      (
        await send({
          method: 'PUT',
          url: target,
          headers: { 'x-amz-checksum-sha256': sha256(body, 'base64') },
          body,
        })
      ).status
    const part = patterned(2_500).subarray(0, 1_000)
    expect(await put(url.replace('/1?', '/2?'), part)).toBe(403)
    expect(await put(url.replace(first.id, second.id), part)).toBe(403)
    expect(await put(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'), part)).toBe(403)
    expect(await put(url.replace(/X-Amz-Date=\d/, 'X-Amz-Date=3'), part)).toBe(403)
    expect(await put(url, patterned(1_001))).toBe(400)
    expect(await put(url, patterned(999))).toBe(400)
    expect(await put(url, part)).toBe(200)
  })

  test('cannot send more bytes than it declared, or keep a connection open with a part that never ends', async () => {
    const data = await makeFolder()
    const server = await start(data, '--client-timeout-s', '1')
    const url = `${server.baseUrl}/v1/sessions`
    const body = JSON.stringify(newSession(patterned(1_000)))
    const created = await send({ method: 'POST', url, headers: headersOf(server.key), body })
    const { upload } = created.json() as { upload: { parts: { url: string }[] } }
    const { host, pathname, search, origin } = new URL(upload.parts[0]!.url)
    const checksum = sha256(patterned(1_000), 'base64')
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nx-amz-checksum-sha256: ${checksum}\r\n`
    // The server reads the surplus bytes as the next request. They are not HTTP, so it answers 400. Its answer to the
    // part may be lost.
    const tooLong = Buffer.concat([
      Buffer.from(`${head}Content-Length: 1000\r\n\r\n`),
      patterned(1_000),
      Buffer.alloc(5_000, 'x'),
    ])
    expect(await exchange(origin, tooLong)).toContain('HTTP/1.1 400 ')
    expect(await exchange(origin, `${head}Transfer-Encoding: chunked\r\n\r\n`)).toContain('411')
    // The call returns only because the server ends the connection.
    expect(await exchange(origin, `${head}Content-Length: 1000\r\n\r\nhalf`)).toBe('')
    const isWhole = (file: string) => statSync(path.join(data, 'parts', file)).size === 1_000
    await expect.poll(() => readdirSync(path.join(data, 'parts')).every(isWhole)).toBe(true)
  })

  test('cannot use up the memory with a small file that unpacks to much more', needs(linux), async () => {
    const server = await start(await makeFolder())
    const client = new RetryingClient(server.baseUrl, server.key)
    const { pid } = server.child
    const peakMbOf = (process: number | string) =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))![1]) / 1_000
    // The peak memory of the server plus that of its inspection process.
    const peakMb = () => {
      const [inspecting] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
      return peakMbOf(pid!) + peakMbOf(inspecting!)
    }
    const harmless = await client.upload(await mcapFile({ layout: 'chunks' }), 'harmless.mcap', 1_000_000)
    await client.waitUntilProcessed(harmless)
    const before = peakMb()
    const compressedData = zstdCompressSync(Buffer.alloc(512 << 20))
    const bomb = await mcapFile({
      layout: 'chunks',
      compress: () => ({ compression: 'zstd', compressedData }),
    })
    const session = await client.waitUntilProcessed(await client.upload(bomb, 'bomb.mcap', 1_000_000))
    expect(session.issues).toMatchObject([{ code: 'file_unreadable', severity: 'error' }])
    expect(peakMb() - before).toBeLessThan(200)
  })
})
