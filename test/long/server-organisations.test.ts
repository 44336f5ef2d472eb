import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { send } from '../contract/raw-http.ts'
import { newSession, patterned } from '../contract/service.ts'
import { createKey, createOrganisation, get, makeFolder, start } from '../integration/server-support.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { runServerCommand } from '../support/server-process.ts'

describe('the server on one computer', () => {
  test('accepts at most 100 webhook endpoints per organisation, and none on the server’s own computer', async () => {
    const server = await start(await makeFolder())
    const register = (url: string) =>
      send({
        method: 'POST',
        url: `${server.baseUrl}/v1/webhook_endpoints`,
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url, events: ['session.processed'] }),
      })
    expect((await register('http://127.0.0.1:9090/quit')).status).toBe(400)
    for (let n = 0; n < 100; n += 1)
      expect((await register(`https://hooks.example.com/${n}`)).status).toBe(200)
    expect((await register('https://hooks.example.com/more')).status).toBe(422)
  })

  test('stores only hashes of keys, and shows each key only once', async () => {
    const data = await makeFolder()
    const org = await createOrganisation(data, 'Lab')
    const { id, key } = await createKey(data, org, '--name', 'hall 1')
    const listedKeys = await runServerCommand(['key', 'list', '--data', data])
    expect(listedKeys.out).not.toContain(key)
    expect(JSON.parse(listedKeys.out)).toMatchObject({
      id,
      org_id: org,
      name: 'hall 1',
      write: true,
      revoked: false,
    })
    const db = new Database(path.join(data, 'server.db'), { readonly: true })
    expect(JSON.stringify(db.prepare('SELECT * FROM keys').all())).not.toContain(key)
    db.close()

    const server = await start(data)
    expect((await get(`${server.baseUrl}/v1/sessions`, key)).status).toBe(200)
    expect(server.stderr()).not.toContain(key)
    await server.stop()
    expect((await runServerCommand(['key', 'revoke', id, '--data', data])).code).toBe(0)
    const restarted = await start(data)
    expect((await get(`${restarted.baseUrl}/v1/sessions`, key)).status).toBe(401)
  })

  test('keeps an organisation from seeing, deleting or completing the sessions of a different one', async () => {
    const data = await makeFolder()
    const keys: string[] = []
    for (const name of ['One', 'Two']) {
      const org = await createOrganisation(data, name)
      keys.push((await createKey(data, org)).key)
    }
    const { baseUrl } = await start(data)
    const [ownKey, otherKey] = keys as [string, string]
    const id = await new RetryingClient(baseUrl, ownKey).upload(patterned(2_500), 'run.bin')
    const routes = [
      ['GET', `/v1/sessions/${id}`],
      ['DELETE', `/v1/sessions/${id}`],
      ['POST', `/v1/sessions/${id}/complete`],
    ] as const
    for (const [method, route] of routes) {
      const headers = { authorization: `Bearer ${otherKey}`, 'content-type': 'application/json' }
      const body = method === 'POST' ? { body: JSON.stringify({ parts: [{ number: 1, etag: '"x"' }] }) } : {}
      const answer = await send({ method, url: `${baseUrl}${route}`, headers, ...body })
      expect([answer.status, answer.json().error]).toEqual([
        403,
        expect.objectContaining({ type: 'permission' }),
      ])
    }
    expect((await get(`${baseUrl}/v1/sessions`, otherKey)).json().data).toEqual([])
    expect((await get(`${baseUrl}/v1/sessions/${id}`, ownKey)).status).toBe(200)
  })

  test('refuses a session above the limits of its organisation, and accepts it once there is space', async () => {
    const data = await makeFolder()
    const org = await createOrganisation(data, 'Lab')
    const { key } = await createKey(data, org)
    const limits = ['--max-bytes', '5000', '--max-sessions', '2']
    expect((await runServerCommand(['org', 'limit', org, ...limits, '--data', data])).code).toBe(0)
    const { baseUrl } = await start(data)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    // A call with the same size repeats the body and the Idempotency-Key, like the retry of a station.
    const create = (bytes: number) =>
      send({
        method: 'POST',
        url: `${baseUrl}/v1/sessions`,
        headers: { ...headers, 'idempotency-key': `size-${bytes}` },
        body: JSON.stringify(newSession(patterned(bytes))),
      })
    const first = await create(3_000)
    expect(first.status).toBe(200)
    const refusal = await create(2_001)
    expect([refusal.status, refusal.json().error]).toMatchObject([
      422,
      { type: 'processing', code: 'quota_exceeded' },
    ])
    expect((await create(2_000)).status).toBe(200)
    expect((await create(0)).status).toBe(422)
    await send({ method: 'DELETE', url: `${baseUrl}/v1/sessions/${first.json().id}`, headers })
    expect((await create(2_001)).status).toBe(200)
  })
})
