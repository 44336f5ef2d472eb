import { describe, expect, test } from 'vitest'
import { send } from '../contract/raw-http.ts'
import { expectError, newSession, patterned } from '../contract/service.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { runServerCommand } from '../support/server-process.ts'
import { anyPorts, createKey, get, makeFolder, start } from './server-support.ts'

describe('a command that runs beside the server', () => {
  test('creates keys, sets limits and revokes keys, and the server applies each change at once', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const run = (...args: string[]) => runServerCommand([...args, '--data', data])
    const org = JSON.parse((await run('org', 'list')).out).id
    const leaked = await createKey(data, org, '--name', 'leaked')
    const sessions = `${server.baseUrl}/v1/sessions`
    expect((await get(sessions, leaked.key)).status).toBe(200)
    expect((await run('key', 'revoke', leaked.id)).code).toBe(0)
    expect((await get(sessions, leaked.key)).status).toBe(401)

    expect((await run('org', 'limit', org, '--max-sessions', '0')).code).toBe(0)
    const refused = await send({
      method: 'POST',
      url: sessions,
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(newSession(patterned(2_500))),
    })
    expect(refused.json().error).toMatchObject({ code: 'quota_exceeded' })
    expect((await run('audit')).out).toContain(leaked.id)
  })

  test('lists and deletes the webhook endpoints, which outlive the key that created them', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const run = (...args: string[]) => runServerCommand([...args, '--data', data])
    const org = JSON.parse((await run('org', 'list')).out).id
    const leaked = await createKey(data, org, '--write')
    const created = await send({
      method: 'POST',
      url: `${server.baseUrl}/v1/webhook_endpoints`,
      headers: { authorization: `Bearer ${leaked.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://stranger.example/hook', events: ['session.processed'] }),
    })
    const { id, secret } = created.json() as { readonly id: string; readonly secret: string }
    expect((await run('key', 'revoke', leaked.id)).code).toBe(0)
    const listed = (await run('webhook', 'list', '--org', org)).out
    expect(JSON.parse(listed)).toMatchObject({ id, org_id: org, url: 'https://stranger.example/hook' })
    expect(listed).not.toContain(secret)
    expect((await run('webhook', 'delete', id)).out).toBe(`${JSON.stringify({ id, deleted: true })}\n`)
    expect((await run('webhook', 'list')).out).toBe('')
    expect(await run('webhook', 'delete', id)).toMatchObject({
      code: 1,
      err: `There is no webhook endpoint ${id}; "webhook list" lists all webhook endpoints.\n`,
    })
    expect((await run('audit')).out).toContain('webhook_endpoint.delete')
  })

  test('deletes a webhook endpoint, so that a creation succeeds that the quota refused before', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const create = (key: string) =>
      send({
        method: 'POST',
        url: `${server.baseUrl}/v1/webhook_endpoints`,
        headers: {
          authorization: `Bearer ${server.key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ url: 'https://example.com', events: ['session.failed'] }),
      })
    const [first] = await Promise.all(Array.from({ length: 100 }, (_, n) => create(`endpoint-${n}`)))
    expectError(await create('refused'), 422, 'processing', 'quota_exceeded')
    const { id } = first!.json() as { id: string }
    expect((await runServerCommand(['webhook', 'delete', id, '--data', data])).code).toBe(0)
    expect((await create('refused')).status).toBe(200)
  })

  test('succeeds while a station uploads, and makes none of its requests fail', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const org = JSON.parse((await runServerCommand(['org', 'list', '--data', data])).out).id
    const client = new RetryingClient(server.baseUrl, server.key)
    let isDone = false
    const upload = async (name: string) => {
      for (let n = 0; !isDone; n += 1) await client.upload(patterned(2_500), `${name}-${n}.bin`)
    }
    const uploads = [upload('a'), upload('b'), upload('c')]
    for (let n = 0; n < 5; n += 1) await createKey(data, org)
    isDone = true
    await Promise.all(uploads)
    const statuses = server.stderr().match(/"status":5\d\d/g)
    expect(statuses).toBe(null)
  })

  test('is refused while the server runs if it needs the data folder for itself, but succeeds after a kill -9', async () => {
    const data = await makeFolder()
    const server = await start(data)
    for (const command of [['clean-up'], [...anyPorts]]) {
      const { code, err } = await runServerCommand([...command, '--data', data])
      expect([code, err]).toEqual([1, `The data folder ${data} is in use by another server.\n`])
    }
    await server.kill()
    expect((await runServerCommand(['clean-up', '--data', data])).code).toBe(0)
  })
})
