import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { send } from '../contract/raw-http.ts'
import { newSession, patterned } from '../contract/service.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { launchServer, runServerCommand } from '../support/server-process.ts'

test('the audit log has every change with its actor, but no failed or repeated requests', async () => {
  const data = await mkdtemp(path.join(tmpdir(), 'sluice-audit-'))
  onTestFinished(() => rm(data, { recursive: true, force: true, maxRetries: 5 }))
  const command = async (...args: string[]) =>
    (await runServerCommand([...args, '--data', data], { SUDO_USER: 'ada' })).out
  const org = JSON.parse(await command('org', 'create', 'Lab')).id
  const writer = JSON.parse(await command('key', 'create', '--org', org, '--write'))
  const reader = JSON.parse(await command('key', 'create', '--org', org))
  const other = JSON.parse(await command('org', 'create', 'Second lab')).id

  const server = await launchServer(['--data', data, '--min-part-size', '1000'])
  onTestFinished(() => server.kill())
  const url = `${server.baseUrl}/v1/sessions`
  const headers = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
  const kept = await new RetryingClient(server.baseUrl, writer.key).upload(patterned(2_500), 'kept.bin')
  const create = () =>
    send({
      method: 'POST',
      url,
      headers: { ...headers(writer.key), 'idempotency-key': 'twice' },
      body: JSON.stringify(newSession(patterned(2_500))),
    })
  const abandoned = (await create()).json().id
  expect((await create()).json().id).toBe(abandoned)
  const remove = (id: string, key: string) =>
    send({ method: 'DELETE', url: `${url}/${id}`, headers: headers(key) })
  expect((await remove(kept, reader.key)).status).toBe(403)
  const removed = await remove(kept, writer.key)
  expect(removed.status).toBe(200)
  expect((await remove(kept, writer.key)).status).toBe(404)
  await server.stop()

  await command('key', 'revoke', reader.id)
  await command('org', 'limit', org, '--max-sessions', '5')
  const db = new Database(path.join(data, 'server.db'))
  db.prepare('UPDATE sessions SET created_at = 0').run()
  db.close()
  await command('clean-up')

  const lines = (await command('audit', '--org', org)).trim().split('\n')
  const entries = lines.map((line) => JSON.parse(line))
  expect(entries.map(({ actor, action, object }) => [actor, action, object])).toEqual([
    ['operator:ada', 'org.create', org],
    ['operator:ada', 'key.create', writer.id],
    ['operator:ada', 'key.create', reader.id],
    [writer.id, 'session.create', kept],
    [writer.id, 'session.complete', kept],
    [writer.id, 'session.create', abandoned],
    [writer.id, 'session.delete', kept],
    ['operator:ada', 'key.revoke', reader.id],
    ['operator:ada', 'org.limit', org],
    ['clean-up', 'session.abandon', abandoned],
  ])
  expect(entries[8].details).toEqual({ max_bytes: null, max_sessions: 5 })
  expect(entries[6]).toMatchObject({ org_id: org, request_id: removed.headers['request-id'] })
  expect(entries[0]).not.toHaveProperty('details')
  await runServerCommand(['org', 'create', 'Third lab', '--data', data], { SUDO_USER: '' })
  const last = (await command('audit')).trim().split('\n').at(-1)!
  expect(JSON.parse(last).actor).toBe(`operator:${userInfo().username}`)
  const everything = await command('audit')
  expect(everything).toContain(other)
  for (const { key } of [writer, reader]) expect(everything).not.toContain(key)
})
