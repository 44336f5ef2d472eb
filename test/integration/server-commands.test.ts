import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { newSession, patterned } from '../contract/service.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { runServerCommand } from '../support/server-process.ts'
import { get, makeFolder, start } from './server-support.ts'

describe('the server on one computer', () => {
  test('deletes abandoned uploads, after a dry run that only lists them', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const client = new RetryingClient(server.baseUrl, server.key)
    const keptId = await client.upload(patterned(2_500), 'kept.bin')
    const created = await client.call('POST', '/v1/sessions', newSession(patterned(2_500)))
    const abandoned = created.json().id as string
    await server.stop()
    const db = new Database(path.join(data, 'server.db'))
    db.prepare('UPDATE sessions SET created_at = 0').run()
    db.close()
    const dryRun = await runServerCommand(['clean-up', '--dry-run', '--data', data])
    expect(JSON.parse(dryRun.out)).toMatchObject({ dry_run: true, abandoned: [abandoned] })
    const realRun = await runServerCommand(['clean-up', '--data', data])
    expect(JSON.parse(realRun.out)).toMatchObject({ dry_run: false, abandoned: [abandoned] })
    const restarted = await start(data)
    const clientAfter = new RetryingClient(restarted.baseUrl, server.key)
    expect((await clientAfter.waitUntilProcessed(keptId)).status).toBe('processed')
    expect((await get(`${restarted.baseUrl}/v1/sessions/${abandoned}`, server.key)).status).toBe(404)
  })

  test('reports wrong settings in one sentence', async () => {
    const data = await makeFolder()
    const file = path.join(data, 'settings.json')
    writeFileSync(file, JSON.stringify({ data, prot: 1 }))
    const cases: [string[], string][] = [
      [[], 'Give either --data FOLDER'],
      [
        ['--database', 'postgres://lab:secret-word@db/sluice', '--bytes', 's3://recordings'],
        'must not hold a password',
      ],
      [['--database', 'postgres://db/sluice', '--bytes', 's3://UPPER/../x'], 'bucket'],
      [['--data', data, '--host', '0.0.0.0'], 'upload_url'],
      [['--data', data, '--port', '99999'], '--port'],
      [['--settings', file], 'unknown setting: prot'],
      [['--data', data, '--direct-parts', 'true'], 'direct_parts needs bytes in S3'],
      [['--data', data, '--trusted-proxies', 'proxy.lab'], '--trusted-proxies: must be a list of addresses'],
      [['--data', data, 'key', 'create'], '--org'],
      [['--data', data, 'fly'], 'Unknown command: fly'],
    ]
    for (const [args, expectedText] of cases) {
      const { code, out, err } = await runServerCommand(args)
      expect([code, out]).toEqual([1, ''])
      expect(err.trim().split('\n')).toHaveLength(1)
      expect(err).toContain(expectedText)
      expect(err).not.toContain('secret-word')
    }
  })

  test('flags override the environment, and the environment overrides the file', async () => {
    const data = await makeFolder()
    const file = path.join(data, 'settings.json')
    writeFileSync(file, JSON.stringify({ data: path.join(data, 'from-file') }))
    const env = { SLUICE_SERVER_DATA: path.join(data, 'from-env') }
    const listOrgs = async (args: string[], extraEnv = {}) =>
      (await runServerCommand(['org', 'list', '--settings', file, ...args], extraEnv)).code
    expect(await listOrgs([])).toBe(0)
    expect(existsSync(path.join(data, 'from-file'))).toBe(true)
    expect(await listOrgs([], env)).toBe(0)
    expect(existsSync(path.join(data, 'from-env'))).toBe(true)
    expect(await listOrgs(['--data', path.join(data, 'from-flag')], env)).toBe(0)
    expect(existsSync(path.join(data, 'from-flag'))).toBe(true)
  })

  test('checks its database, clock, storage, address and keys, and names the one that fails', async () => {
    const data = await makeFolder()
    const failedCheck = await runServerCommand(['check', '--data', data])
    expect([failedCheck.code, failedCheck.out.match(/^keys: .*/m)?.[0]]).toEqual([
      1,
      'keys: no key can upload; create one with "key create --write"',
    ])
    const server = await start(data)
    await server.stop()
    const passedCheck = await runServerCommand(['check', '--data', data])
    expect([passedCheck.code, passedCheck.out]).toEqual([
      0,
      'database: ok\nclock: ok\nbytes: ok\naddress: ok\nkeys: ok\n',
    ])
  })
})
