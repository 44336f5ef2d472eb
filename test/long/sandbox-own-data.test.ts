import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { launch } from '../contract/sandbox-process.ts'
import { patterned, Service } from '../contract/service.ts'
import { needs, posix } from '../support/needs.ts'

async function makeFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-own-data-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

function readModes(root: string): Record<string, string> {
  const names = ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]
  return Object.fromEntries(
    names.map((name) => [name, (lstatSync(join(root, name)).mode & 0o777).toString(8)]),
  )
}

const findNotPrivate = (modes: Record<string, string>) =>
  Object.entries(modes).filter(([name, mode]) => mode !== (/^(\.|parts)$/.test(name) ? '700' : '600'))

const flags = ['--min-part-size', '1000']

test('every data folder has its own keys, and keeps them after a restart', async () => {
  const [firstFolder, secondFolder] = [await makeFolder(), await makeFolder()]
  const first = await launch('--data', firstFolder)
  const second = await launch('--data', secondFolder)
  const firstKeys = first.keys
  const all = [...Object.values(first.keys), ...Object.values(second.keys)]
  expect(new Set(all).size).toBe(10)
  for (const key of all) expect(key).toMatch(/^svc_(test|live)_\w+_[0-9a-f]{32}$/)
  await Promise.all([first.stop(), second.stop()])
  const restarted = await launch('--data', firstFolder)
  onTestFinished(async () => void (await restarted.stop()))
  expect(restarted.keys).toEqual(firstKeys)
})

test('the shared keys of an earlier version stop working, and its sessions stay', async () => {
  const data = await makeFolder()
  const before = await launch('--data', data)
  const sessionsBefore = (await new Service(before).call('GET', '/v1/sessions')).json().data
  await before.stop()
  // An earlier version had its keys in the source code, so anyone could know them.
  const db = new Database(join(data, 'sandbox.db'))
  const sharedKey = 'svc_test_write_4f9a1c72e05b'
  db.prepare("DELETE FROM meta WHERE name = 'test_keys'").run()
  db.prepare('DELETE FROM keys').run()
  db.prepare("INSERT INTO keys (key, org_id, can_write, revoked) VALUES (?, 'org_sample', 1, 0)").run(
    sharedKey,
  )
  db.close()
  const sandbox = await launch('--data', data)
  onTestFinished(async () => void (await sandbox.stop()))
  const service = new Service(sandbox)
  expect((await service.call('GET', '/v1/sessions', { key: sharedKey })).status).toBe(401)
  expect((await service.call('GET', '/v1/sessions')).json().data).toEqual(sessionsBefore)
})

test(
  'only this user can read the data, whatever the umask is, and even if others could read it before',
  needs(posix),
  async () => {
    const data = join(await makeFolder(), 'new', 'data')
    const umask = process.umask(0)
    onTestFinished(() => void process.umask(umask))
    const first = await launch('--data', data, ...flags)
    await new Service(first).upload(patterned(2_500))
    expect(findNotPrivate(readModes(data))).toEqual([])
    await first.kill()

    for (const name of Object.keys(readModes(data)))
      chmodSync(join(data, name), /^(\.|parts)$/.test(name) ? 0o777 : 0o666)
    const second = await launch('--data', data, ...flags)
    onTestFinished(async () => void (await second.stop()))
    expect(findNotPrivate(readModes(data))).toEqual([])
  },
)

test(
  'the sandbox keeps the access rights of a folder that has other files, but makes its own files private',
  needs(posix),
  async () => {
    const data = join(await makeFolder(), 'shared')
    mkdirSync(data)
    chmodSync(data, 0o755)
    writeFileSync(join(data, 'other-content.txt'), '', { mode: 0o644 })
    const sandbox = await launch('--data', data, ...flags)
    onTestFinished(async () => void (await sandbox.stop()))
    const modes = readModes(data)
    expect([modes['.'], modes['other-content.txt']]).toEqual(['755', '644'])
    expect(findNotPrivate(modes).map(([name]) => name)).toEqual(['.', 'other-content.txt'])
  },
)
