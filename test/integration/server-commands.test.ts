import { chownSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { newSession, patterned } from '../contract/service.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { needs, posix, root } from '../support/needs.ts'
import { runServerCommand } from '../support/server-process.ts'
import { anyPorts, createOrganisation, get, makeFolder, start } from './server-support.ts'

describe('the server on one computer', () => {
  test('deletes abandoned uploads and leftover files in a clean-up; a dry run only lists them', async () => {
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
    const leftover = 'ses_deleted-1-0123456789ab'
    const leftoverFile = path.join(data, 'parts', leftover)
    writeFileSync(leftoverFile, 'x')
    const dryRun = await runServerCommand(['clean-up', '--dry-run', '--data', data])
    const report = { abandoned: [abandoned], leftovers: [leftover] }
    expect(existsSync(leftoverFile)).toBe(true)
    expect(JSON.parse(dryRun.out)).toEqual({ dry_run: true, ...report })
    const realRun = await runServerCommand(['clean-up', '--data', data])
    expect(JSON.parse(realRun.out)).toEqual({ dry_run: false, ...report })
    expect(existsSync(leftoverFile)).toBe(false)
    const restarted = await start(data)
    const clientAfter = new RetryingClient(restarted.baseUrl, server.key)
    expect((await clientAfter.waitUntilProcessed(keptId)).status).toBe('processed')
    expect((await get(`${restarted.baseUrl}/v1/sessions/${abandoned}`, server.key)).status).toBe(404)
  })

  test('keeps the recordings if its database is lost, so that the operator can restore a backup of the database', async () => {
    const data = await makeFolder()
    const server = await start(data)
    const client = new RetryingClient(server.baseUrl, server.key)
    await client.waitUntilProcessed(await client.upload(patterned(2_500), 'kept.bin'))
    await server.stop()
    const listParts = () => readdirSync(path.join(data, 'parts')).sort()
    const names = listParts()
    const database = path.join(data, 'server.db')
    renameSync(database, `${database}.backup`)
    const empty = await start(data)
    await empty.stop()
    expect(JSON.parse((await runServerCommand(['clean-up', '--data', data])).out).leftovers).toEqual([])
    renameSync(`${database}.backup`, database)
    await start(data)
    expect(names).not.toEqual([])
    expect(listParts()).toEqual(names)
  })

  test(
    'reports that root corrects no permissions in the folder of a different account',
    needs(posix, root),
    async () => {
      const data = await makeFolder()
      const owned = await start(data)
      await owned.stop()
      const hint = `root corrects no permissions in ${data}, because the folder belongs to a different account`
      expect(owned.stderr()).not.toContain(hint)
      chownSync(data, 12_345, 12_345)
      const foreign = await start(data)
      await expect.poll(() => foreign.stderr()).toContain(hint)
    },
  )

  test('reports wrong settings in one sentence', async () => {
    const data = await makeFolder()
    const file = path.join(data, 'settings.json')
    writeFileSync(file, JSON.stringify({ data, prot: 1 }))
    const inherited = path.join(data, 'inherited.json')
    writeFileSync(inherited, JSON.stringify({ data, constructor: 1 }))
    const cases: [string[], string][] = [
      [[], 'Give either --data FOLDER'],
      [
        ['--database', 'postgres://lab:secret-word@db/sluice', '--bytes', 's3://recordings'],
        'must not hold a password',
      ],
      [
        ['--database', 'postgres://lab@db/sluice?password=secret-word', '--bytes', 's3://recordings'],
        'must not hold a password',
      ],
      [['--database', 'postgres://db/sluice', '--bytes', 's3://UPPER/../x'], 'bucket'],
      [['--data', data, '--host', '0.0.0.0'], 'upload_url'],
      [['--data', data, '--port', '99999'], '--port: must be a whole number from 0 to 65535'],
      [['--settings', file], 'unknown setting: prot'],
      [['--settings', inherited], 'unknown setting: constructor'],
      [['--data', data, '--direct-parts', 'true'], 'direct_parts needs bytes in S3'],
      [['--data', data, '--direct-parts'], 'direct_parts needs bytes in S3'],
      [['--data', data, '--trusted-proxies', 'proxy.lab'], '--trusted-proxies: must be a list of addresses'],
      [['--data', data, 'key', 'create'], '--org'],
      [['--data', data, 'fly'], 'Unknown command: fly'],
      [['fly'], 'Unknown command: fly'],
      [['org', 'create', 'A', 'B', '--data', data], 'Unexpected argument: B.'],
    ]
    for (const [args, expectedText] of cases) {
      const { code, out, err } = await runServerCommand(args)
      expect([code, out]).toEqual([1, ''])
      expect(err.trim().split('\n')).toHaveLength(1)
      expect(err).toContain(expectedText)
      expect(err).not.toContain('secret-word')
    }
  })

  test('prefers flags to the environment, and the environment to the settings file', async () => {
    const data = await makeFolder()
    const file = path.join(data, 'settings.json')
    writeFileSync(file, JSON.stringify({ data: path.join(data, 'from-file') }))
    const env = { SLUICE_SERVER_DATA: path.join(data, 'from-env') }
    const createOrg = async (args: string[], extraEnv = {}) =>
      (await runServerCommand(['org', 'create', 'Lab', '--settings', file, ...args], extraEnv)).code
    expect(await createOrg([])).toBe(0)
    expect(existsSync(path.join(data, 'from-file'))).toBe(true)
    expect(await createOrg([], env)).toBe(0)
    expect(existsSync(path.join(data, 'from-env'))).toBe(true)
    expect(await createOrg(['--data', path.join(data, 'from-flag')], env)).toBe(0)
    expect(existsSync(path.join(data, 'from-flag'))).toBe(true)
  })

  test('creates no database for a command with a mistyped folder', async () => {
    const folder = await makeFolder()
    const data = path.join(folder, 'mistyped')
    const commands = [
      ['org', 'list'],
      ['org', 'limit', 'org_1', '--max-sessions', '1'],
      ['key', 'create', '--org', 'org_1'],
      ['key', 'list'],
      ['key', 'revoke', 'key_1'],
      ['audit'],
      ['clean-up'],
    ]
    for (const command of commands) {
      const { code, err } = await runServerCommand([...command, '--data', data])
      expect([command, code, err]).toEqual([command, 1, `There is no server's data in ${data}.\n`])
    }
    const check = await runServerCommand(['check', '--data', data, ...anyPorts])
    expect([check.code, check.out.split('\n')[0]]).toEqual([
      1,
      `database: There is no server's data in ${data}.`,
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  test('changes only the limits that the command names', async () => {
    const data = await makeFolder()
    const org = await createOrganisation(data, 'Lab')
    const limit = async (...flags: string[]) =>
      JSON.parse((await runServerCommand(['org', 'limit', org, ...flags, '--data', data])).out)
    expect(await limit('--max-bytes', '5000')).toEqual({ id: org, max_bytes: 5000, max_sessions: null })
    expect(await limit('--max-sessions', '3')).toEqual({ id: org, max_bytes: 5000, max_sessions: 3 })
    expect(await limit('--max-bytes', 'none')).toEqual({ id: org, max_bytes: null, max_sessions: 3 })
    const audit = await runServerCommand(['audit', '--org', 'org_nope', '--data', data])
    expect([audit.code, audit.out, audit.err]).toEqual([
      1,
      '',
      'There is no organisation org_nope; "org list" lists all organisations.\n',
    ])
  })
})
