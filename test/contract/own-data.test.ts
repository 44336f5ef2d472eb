import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { needs, posix } from '../support/needs.ts'
import { launch } from './sandbox-process.ts'
import { patterned, Service } from './service.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-own-data-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

/** Every file and folder of a tree with its mode. */
function rightsOf(root: string): Record<string, string> {
  const names = ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]
  return Object.fromEntries(
    names.map((name) => [name, (lstatSync(join(root, name)).mode & 0o777).toString(8)]),
  )
}

const notPrivate = (rights: Record<string, string>) =>
  Object.entries(rights).filter(([name, mode]) => mode !== (/^(\.|parts)$/.test(name) ? '700' : '600'))

const flags = ['--min-part-size', '1000']

test('every data folder has its own keys, and keeps them', async () => {
  const [one, two] = [await folder(), await folder()]
  const first = await launch('--data', one)
  const second = await launch('--data', two)
  const again = first.keys
  const all = [...Object.values(first.keys), ...Object.values(second.keys)]
  expect(new Set(all).size).toBe(10)
  for (const key of all) expect(key).toMatch(/^svc_(test|live)_\w+_[0-9a-f]{32}$/)
  await Promise.all([first.stop(), second.stop()])
  const restarted = await launch('--data', one)
  onTestFinished(async () => void (await restarted.stop()))
  expect(restarted.keys).toEqual(again)
})

test('the shared keys of an earlier version stop working, and its sessions stay', async () => {
  const data = await folder()
  const before = await launch('--data', data)
  const listed = (await new Service(before).call('GET', '/v1/sessions')).json().data
  await before.stop()
  // The old state: four keys that every reader of the source knows.
  const db = new Database(join(data, 'sandbox.db'))
  const known = 'svc_test_write_4f9a1c72e05b'
  db.prepare("DELETE FROM meta WHERE name = 'test_keys'").run()
  db.prepare('DELETE FROM keys').run()
  db.prepare("INSERT INTO keys (key, org_id, can_write, revoked) VALUES (?, 'org_sample', 1, 0)").run(known)
  db.close()
  const sandbox = await launch('--data', data)
  onTestFinished(async () => void (await sandbox.stop()))
  const service = new Service(sandbox)
  expect((await service.call('GET', '/v1/sessions', { key: known })).status).toBe(401)
  expect((await service.call('GET', '/v1/sessions')).json().data).toEqual(listed)
})

test(
  'only this user can read the data, under any umask, even if others could before',
  needs(posix),
  async () => {
    const data = join(await folder(), 'new', 'data')
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const first = await launch('--data', data, ...flags)
    await new Service(first).upload(patterned(2_500))
    expect(notPrivate(rightsOf(data))).toEqual([])
    await first.kill()

    for (const name of Object.keys(rightsOf(data)))
      chmodSync(join(data, name), /^(\.|parts)$/.test(name) ? 0o777 : 0o666)
    const second = await launch('--data', data, ...flags)
    onTestFinished(async () => void (await second.stop()))
    expect(notPrivate(rightsOf(data))).toEqual([])
  },
)

test(
  'keeps the rights of a folder with other content, but makes its own files in it private',
  needs(posix),
  async () => {
    const data = join(await folder(), 'shared')
    mkdirSync(data)
    chmodSync(data, 0o755)
    writeFileSync(join(data, 'other-content.txt'), '', { mode: 0o644 })
    const sandbox = await launch('--data', data, ...flags)
    onTestFinished(async () => void (await sandbox.stop()))
    const rights = rightsOf(data)
    expect([rights['.'], rights['other-content.txt']]).toEqual(['755', '644'])
    expect(notPrivate(rights).map(([name]) => name)).toEqual(['.', 'other-content.txt'])
  },
)
