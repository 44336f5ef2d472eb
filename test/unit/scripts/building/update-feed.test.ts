import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFeedIndex } from '../../../../main/agent/service/feed-index.ts'
import { describeInstaller, publishFeed } from '../../../../scripts/building/update-feed.mjs'
import { newFeedKey } from '../../../support/updates/lying-feed.ts'

const key = newFeedKey()
const NOW_MS = Date.parse('2026-11-15T08:00:00Z')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-feed-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const publish = (installers: readonly string[], options: { nowMs?: number; privateKey?: string } = {}) =>
  publishFeed({
    folder: path.join(folder, 'feed'),
    installers: installers.map((name) => path.join(folder, name)),
    channel: 'stable',
    privateKey: key.privateKey,
    validDays: 90,
    nowMs: NOW_MS,
    ...options,
  })

const readIndex = (nowMs = NOW_MS) => {
  const read = readFeedIndex(readFileSync(path.join(folder, 'feed/feed.json')), [key.line], nowMs)
  if (!read.ok) throw new Error(read.reason)
  return read.index
}

test.each([
  ['Sluice Setup 1.2.3.exe', 'win32', 'x64', '1.2.3', 'Sluice-Setup-1.2.3.exe'],
  ['Sluice-1.2.3-arm64.exe', 'win32', 'arm64', '1.2.3', 'Sluice-1.2.3-arm64.exe'],
  ['sluice-agent_1.0.0~rc.1_amd64.deb', 'linux', 'x64', '1.0.0-rc.1', 'sluice-agent_1.0.0-rc.1_amd64.deb'],
  ['sluice-agent-1.0.0-1.aarch64.rpm', 'linux', 'arm64', '1.0.0', 'sluice-agent-1.0.0-1.aarch64.rpm'],
  ['Sluice-1.2.3-arm64-mac.zip', 'darwin', 'arm64', '1.2.3', 'Sluice-1.2.3-arm64-mac.zip'],
])(
  'reads the system, processor and version from the file name %s',
  (name, system, machine, version, file) => {
    expect(describeInstaller(name)).toEqual({ system, machine, version, file })
  },
)

test('a package that was built for tests is not an installer for a feed', () => {
  for (const name of ['Sluice-Setup-1.0.0-fortests-x64.exe', 'sluice-agent_1.0.0~fortests_amd64.deb'])
    expect(describeInstaller(name)).toBeNull()
})

test('recognises files that are not installers', () => {
  for (const name of ['SHA256SUMS', 'sluice-1.0.0.tar.gz', 'other-1.0.0.exe', 'sluice.cdx.json'])
    expect(describeInstaller(name)).toBeNull()
})

test('publishing adds installers, keeps older versions, and increases the number of the index', async () => {
  writeFileSync(path.join(folder, 'Sluice-1.0.0-x64.exe'), 'one')
  writeFileSync(path.join(folder, 'Sluice-1.1.0-x64.exe'), 'two')
  await publish(['Sluice-1.0.0-x64.exe'])
  const { sequence } = readIndex()
  // The number must grow even if the clock was set back, because stations refuse a lower number.
  await publish(['Sluice-1.1.0-x64.exe'], { nowMs: NOW_MS - 86_400_000 })
  const index = readIndex()
  expect(index.sequence).toBeGreaterThan(sequence)
  expect(index.releases.map(({ version }) => version)).toEqual(['1.0.0', '1.1.0'])
  expect(readdirSync(path.join(folder, 'feed')).toSorted()).toEqual([
    'Sluice-1.0.0-x64.exe',
    'Sluice-1.1.0-x64.exe',
    'feed.json',
    'feed.pub',
  ])
})

test('publishing without installers signs the index again with a later expiry', async () => {
  writeFileSync(path.join(folder, 'Sluice-1.0.0-x64.exe'), 'one')
  await publish(['Sluice-1.0.0-x64.exe'])
  const before = readIndex()
  await publish([], { nowMs: NOW_MS + 86_400_000 })
  expect(readIndex().expiresAtMs).toBe(before.expiresAtMs + 86_400_000)
  expect(readIndex().releases).toEqual(before.releases)
})

test('publishing refuses a different key, a key that is no ed25519 key, and different content of a published version', async () => {
  writeFileSync(path.join(folder, 'Sluice-1.0.0-x64.exe'), 'one')
  await publish(['Sluice-1.0.0-x64.exe'])
  await expect(publish([], { privateKey: newFeedKey().privateKey })).rejects.toThrow('different key')
  await expect(publish([], { privateKey: 'nonsense' })).rejects.toThrow('must be an ed25519 key')
  writeFileSync(path.join(folder, 'Sluice-1.0.0-x64.exe'), 'two')
  await expect(publish(['Sluice-1.0.0-x64.exe'])).rejects.toThrow('different content')
})

test.each([
  [
    'a changed version',
    (signed: string) => ({ signed: signed.replace('1.0.0', '9.9.9'), signature: 'AAAA' }),
  ],
  [
    'a signature of a different text',
    (signed: string, signature: string) => ({ signed: `${signed} `, signature }),
  ],
  ['no index at all', () => null],
])('publishing does not sign an index that was changed on the web server: %s', async (_, change) => {
  writeFileSync(path.join(folder, 'Sluice-1.0.0-x64.exe'), 'one')
  await publish(['Sluice-1.0.0-x64.exe'])
  const file = path.join(folder, 'feed/feed.json')
  const { signed, signature } = JSON.parse(readFileSync(file, 'utf8'))
  const changed = JSON.stringify(change(signed, signature))
  writeFileSync(file, changed)
  await expect(publish([])).rejects.toThrow('Nothing was signed. Restore the file from a backup,')
  await expect(publish(['Sluice-1.0.0-x64.exe'])).rejects.toThrow('is not signed with this key')
  expect(readFileSync(file, 'utf8')).toBe(changed)
  rmSync(file)
  await publish(['Sluice-1.0.0-x64.exe'])
  expect(readIndex().releases.map(({ version }) => version)).toEqual(['1.0.0'])
})

test('publishing does not write the key of a failed attempt to `feed.pub`', async () => {
  writeFileSync(path.join(folder, 'Sluice-1.0.0-x64.exe'), 'one')
  await publish(['Sluice-1.0.0-x64.exe'])
  rmSync(path.join(folder, 'feed/feed.pub'))
  await expect(publish([], { privateKey: newFeedKey().privateKey })).rejects.toThrow('Nothing was signed')
  await publish([])
  expect(readFileSync(path.join(folder, 'feed/feed.pub'), 'utf8')).toBe(`${key.line}\n`)
})
