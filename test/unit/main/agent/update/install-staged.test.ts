import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installStaged } from '../../../../../main/agent/update/install-staged.ts'
import { needs, posix } from '../../../../support/needs.ts'
import { LyingFeed, newFeedKey } from '../../../../support/updates/lying-feed.ts'

const SETUP = 'Sluice-Setup-1.1.0-x64.exe'
const program = { version: '1.0.0', system: 'win32', machine: 'x64' }

let feed: LyingFeed
let folder: string
beforeEach(async () => {
  feed = await LyingFeed.open()
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-staged-'))
})
afterEach(async () => {
  await feed.close()
  rmSync(folder, { recursive: true, force: true })
})

const inFolder = (...names: readonly string[]) => path.join(folder, ...names)
const answer = () => inFolder('answer')

/** A stand-in for the installer, which writes its arguments. */
const publish = async (name = SETUP) =>
  feed.publish(name, {
    content: `#!/bin/sh\nprintf '%s' "$*" > ${answer()}.new && mv ${answer()}.new ${answer()}\n`,
  })

const stage = (name = SETUP) => {
  mkdirSync(inFolder('staged'), { recursive: true })
  for (const file of ['feed.json', name]) writeFileSync(inFolder('staged', file), feed.read(file))
}

const install = (change: { version?: string; keys?: readonly string[]; nowMs?: number } = {}) =>
  installStaged(
    {
      staged: inFolder('staged'),
      own: inFolder('own'),
      keys: change.keys ?? [feed.key.line],
      program: { ...program, version: change.version ?? program.version },
      nowMs: change.nowMs ?? Date.now(),
    },
    ['/S'],
  )

const expectNothing = () => {
  expect(existsSync(answer())).toBe(false)
  expect(existsSync(inFolder('own')) ? readdirSync(inFolder('own')) : []).toEqual([])
}

test('starts a checked copy of the installer silently', needs(posix), async () => {
  await publish()
  stage()
  expect(await install()).toBe('1.1.0')
  await expect.poll(() => existsSync(answer())).toBe(true)
  expect(readFileSync(answer(), 'utf8')).toBe('/S')
})

test('refuses an installer that the account of the agent has replaced', async () => {
  await publish()
  stage()
  const size = feed.read(SETUP).length
  writeFileSync(inFolder('staged', SETUP), 'x'.repeat(size))
  await expect(install()).rejects.toThrow('different content')
  expectNothing()
})

test('refuses a link instead of the installer', needs(posix), async () => {
  await publish()
  stage()
  rmSync(inFolder('staged', SETUP))
  symlinkSync('/bin/sh', inFolder('staged', SETUP))
  await expect(install()).rejects.toThrow()
  expectNothing()
})

test('refuses a feed of a different key, an expired feed and an older version', async () => {
  await publish()
  stage()
  await expect(install({ keys: [newFeedKey().line] })).rejects.toThrow('wrong signature')
  await expect(install({ nowMs: Date.now() + 100 * 86_400_000 })).rejects.toThrow('expired')
  await expect(install({ version: '1.1.0' })).rejects.toThrow('No newer version')
  await expect(install({ version: '1.2.0' })).rejects.toThrow('No newer version')
  expectNothing()
})
