import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ReleaseRules } from '../../../../../main/agent/domain/update-rules.ts'
import { installStaged } from '../../../../../main/agent/update/install-staged.ts'
import { needs, posix } from '../../../../support/needs.ts'
import { LyingFeed, newFeedKey } from '../../../../support/updates/lying-feed.ts'

const SETUP = 'Sluice-Setup-1.1.0-x64.exe'
const program = { version: '1.0.0', system: 'win32', machine: 'x64', hostName: 'hall-3' }
const everything: ReleaseRules = { channel: 'stable', percent: 100 }

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

/** Publishes a script in place of the installer. The script writes its arguments, `TEMP` and `TMP` to `answer`. */
const publish = async (name = SETUP, channel = 'stable') =>
  feed.publish(name, {
    channel,
    content: `#!/bin/sh\nprintf '%s' "$* in $TEMP $TMP" > ${answer()}.new && mv ${answer()}.new ${answer()}\n`,
  })

const stage = (name = SETUP) => {
  mkdirSync(inFolder('staged'), { recursive: true })
  for (const file of ['feed.json', name]) writeFileSync(inFolder('staged', file), feed.read(file))
}

type Change = {
  version?: string
  keys?: readonly string[]
  nowMs?: number
  rules?: Partial<ReleaseRules>
  makeOwn?: () => void
  warn?: (sentence: string) => void
}

const install = (change: Change = {}) =>
  installStaged(
    {
      staged: inFolder('staged'),
      own: inFolder('own'),
      makeOwn: change.makeOwn ?? ((own) => mkdirSync(own, { recursive: true })),
      rules: { ...everything, ...change.rules },
      keys: change.keys ?? [feed.key.line],
      program: { ...program, version: change.version ?? program.version },
      nowMs: change.nowMs ?? Date.now(),
      warn: change.warn ?? expect.unreachable,
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
  const [run = ''] = readdirSync(inFolder('own'))
  const temporary = inFolder('own', run, 'temporary')
  expect(readFileSync(answer(), 'utf8')).toBe(`/S in ${temporary} ${temporary}`)
})

test(
  'starts the installer from an empty folder, and removes the folders of earlier installers',
  needs(posix),
  async () => {
    await publish()
    stage()
    mkdirSync(inFolder('own', 'install-old'), { recursive: true })
    writeFileSync(inFolder('own', 'install-old', SETUP), 'old')
    writeFileSync(inFolder('own', 'version.dll'), 'planted')
    await install()
    const [run = '', ...others] = readdirSync(inFolder('own'))
    expect(others).toEqual([])
    expect(readdirSync(inFolder('own', run)).toSorted()).toEqual([SETUP, 'temporary'])
    // The clean-up of this test must not run while the installer still writes into the same folder.
    await expect.poll(() => existsSync(answer())).toBe(true)
  },
)

test('keeps the installer of the version that runs now, and no older one', needs(posix), async () => {
  const next = 'Sluice-Setup-1.2.0-x64.exe'
  await publish()
  stage()
  await install()
  await publish(next)
  stage(next)
  mkdirSync(inFolder('own', 'previous'))
  writeFileSync(inFolder('own', 'previous', 'Sluice-Setup-1.0.0-x64.exe'), 'older')
  // Sluice starts the installer of version 1.2.0 twice, as if it had failed the first time.
  for (const _ of [1, 2]) {
    expect(await install({ version: '1.1.0' })).toBe('1.2.0')
    expect(readdirSync(inFolder('own'))).toEqual([expect.stringContaining('install-'), 'previous'])
    expect(readdirSync(inFolder('own', 'previous'))).toEqual([SETUP])
    expect(readFileSync(inFolder('own', 'previous', SETUP))).toEqual(feed.read(SETUP))
  }
})

test('keeps no installer whose content is not in the signed feed', needs(posix), async () => {
  await publish()
  await publish('Sluice-Setup-1.0.0-x64.exe')
  stage()
  mkdirSync(inFolder('own', 'install-old'), { recursive: true })
  writeFileSync(inFolder('own', 'install-old', 'Sluice-Setup-1.0.0-x64.exe'), 'changed')
  await install()
  expect(readdirSync(inFolder('own'))).toEqual([expect.stringContaining('install-')])
})

test('installs the update although the previous installer cannot be read', needs(posix), async () => {
  const previous = 'Sluice-Setup-1.0.0-x64.exe'
  // A folder in place of the installer cannot be read, like a file in use on Windows. The feed names the folder's size.
  const unreadable = inFolder('own', 'install-old', previous)
  mkdirSync(path.join(unreadable, 'inside'), { recursive: true })
  await feed.publish(previous, { content: 'x'.repeat(statSync(unreadable).size) })
  await publish()
  stage()
  const warnings: string[] = []
  expect(await install({ warn: (sentence) => warnings.push(sentence) })).toBe('1.1.0')
  expect(warnings).toEqual([
    expect.stringContaining('could not keep the installer of the running version: EISDIR'),
  ])
  await expect.poll(() => existsSync(answer())).toBe(true)
})

test('installs nothing if users may change the folder for installers', async () => {
  await publish()
  stage()
  const makeOwn = () => {
    throw new Error('belongs to a user')
  }
  await expect(install({ makeOwn })).rejects.toThrow('belongs to a user')
  expectNothing()
})

test.each<[string, Partial<ReleaseRules>, string]>([
  ['channel', { channel: 'beta' }, 'No newer version is staged'],
  ['pinned version', { version: '1.0.5' }, 'No newer version is staged'],
  ['percent', { percent: 0 }, 'is not for this station yet'],
])('refuses a version that the station must not take: %s', async (_, rules, words) => {
  await publish()
  stage()
  await expect(install({ rules })).rejects.toThrow(words)
  expectNothing()
})

test('installs the version of the channel, even if an earlier download is newer', needs(posix), async () => {
  const beta = 'Sluice-Setup-2.0.0-beta.1-x64.exe'
  await publish(beta, 'beta')
  stage(beta)
  await publish()
  stage()
  expect(await install()).toBe('1.1.0')
  await expect.poll(() => existsSync(answer())).toBe(true)
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
