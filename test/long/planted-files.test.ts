import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readReceipt } from '../../main/agent/calls/read-receipt.ts'
import { backUp } from '../../main/agent/journal/backup.ts'
import { openDatabase, openExisting } from '../../main/agent/journal/database.ts'
import { openJournal } from '../../main/agent/journal/journal.ts'
import { takeAgentLock } from '../../main/agent/journal/lock.ts'
import { sendCanary } from '../../main/agent/platform/folders/canary.ts'
import { readCaFile } from '../../main/agent/service/connection.ts'
import { readOwnSettings } from '../../main/cli/settings-file.ts'
import { readWebhooksFile, writeWebhooksFile } from '../../main/cli/webhooks-file.ts'
import { findPlace } from '../../main/endpoint/endpoint-place.ts'
import { writeDurably } from '../../main/local-files/durable-file.ts'
import { movedRefusal } from '../../main/local-files/moved-station.ts'
import { readKeyFile } from '../../main/managed/key-file.ts'
import { readManagedFile } from '../../main/managed/managed-file.ts'
import { rightsOf, whyUntrusted } from '../../main/managed/rights.ts'
import { LogFiles } from '../../main/program-log/log-files.ts'
import { readLogEnd } from '../../main/program-log/read-log.ts'
import { readPickedSettings } from '../../main/shell/settings/preview-settings-file.ts'
import { SettingsStore } from '../../main/station-store/settings-store.ts'
import { storedAgentKey } from '../../main/station-store/stored-agent-key.ts'
import { linuxPaths } from '../../shared/paths/paths.ts'
import { CANARY_NAME } from '../../shared/paths/system-names.ts'
import { temporaryFolder } from '../integration/platform-support.ts'
import { linux, needs, posix, root } from '../support/needs.ts'
import { readSettings } from '../support/read-settings.ts'
import { Station } from '../support/station.ts'

/** A different user has planted a link, a named pipe or a file under a name that Sluice uses. */

const OTHER_UID = 12345
const webhooks = { origin: 'https://api.example.com', pending: null, endpoints: [] }
const settings = JSON.stringify({ service: { base_url: 'https://api.example.com' } })

const createPipe = (folder: string, name: string): string => {
  const file = path.join(folder, name)
  execFileSync('mkfifo', ['-m', '600', file])
  return file
}

/** Creates a file that must stay unchanged, and a link to it. */
const plant = (folder: string, name: string) => {
  const victim = path.join(temporaryFolder(), 'victim')
  writeFileSync(victim, 'untouched')
  symlinkSync(victim, path.join(folder, name))
  return { expectUnchanged: () => expect(readFileSync(victim, 'utf8')).toBe('untouched') }
}

describe('a named pipe is refused without waiting for a writer', needs(linux), () => {
  test('as settings, managed settings, key, webhook secrets, CA file or receipt', async () => {
    const folder = temporaryFolder()
    const pipe = createPipe(folder, 'webhooks.json')
    expect(() => readOwnSettings(pipe)).toThrow(`${pipe} is not a file.`)
    expect(readManagedFile(pipe)).toMatchObject({ kind: 'bad', reason: `${pipe} is not a file` })
    expect(readKeyFile(pipe)).toEqual({ ok: false, sentence: `${pipe} is not a file, so it holds no key.` })
    expect(() => readWebhooksFile(folder)).toThrow(`${pipe} cannot be read.`)
    expect(readCaFile(pipe)).toMatchObject({ pem: null, problem: expect.any(String) })
    await expect(readReceipt(pipe)).rejects.toThrow(`${pipe} is not a file.`)
    expect(await readPickedSettings(pipe)).toMatchObject({ kind: 'refused' })
  })

  test('as the log, and Sluice runs without a log', async () => {
    const folder = temporaryFolder()
    createPipe(folder, 'sluice.log')
    new LogFiles(folder).write('a line', () => '')
    expect(await readLogEnd(folder, 1_000)).toBeNull()
  })

  test('as the settings of the app, and Sluice reports this', () => {
    const folder = temporaryFolder()
    createPipe(folder, 'settings.json')
    const store = new SettingsStore(folder, { refusal: () => null })
    store.load()
    expect(store.state.problem).toContain('it is not a file')
  })

  test('as the marker of a move, the record of an endpoint or the key of an agent', () => {
    const folder = temporaryFolder()
    for (const name of ['moved.json', 'agent-endpoint.json', 'agent-key.json']) createPipe(folder, name)
    expect(movedRefusal(folder)).toBeNull()
    expect(findPlace(folder, 'linux')).toBeNull()
    expect(storedAgentKey(folder, 'https://api.example.com')).toBeNull()
  })

  test('as the test file that Sluice writes into a watched folder', async () => {
    const folder = temporaryFolder()
    createPipe(folder, CANARY_NAME)
    expect(await sendCanary(folder, linuxPaths, AbortSignal.timeout(60_000))).toMatchObject({
      kind: 'read-only',
    })
  })

  test('as the settings of a command, and the command exits with 1', async () => {
    const station = await Station.open()
    onTestFinished(() => station.close())
    const pipe = createPipe(temporaryFolder(), 'settings.json')
    for (const command of [
      ['run', '--settings', pipe],
      ['settings', 'check', pipe],
    ])
      expect((await station.command(...command)).code).toBe(1)
  })
})

describe('a planted link', needs(posix), () => {
  test('is replaced by a write, and its target stays unchanged', () => {
    const folder = temporaryFolder()
    const { expectUnchanged } = plant(folder, 'settings.json.new')
    writeDurably(path.join(folder, 'settings.json'), 'new')
    expectUnchanged()
    expect(readFileSync(path.join(folder, 'settings.json'), 'utf8')).toBe('new')
    expect(lstatSync(path.join(folder, 'settings.json')).isFile()).toBe(true)
  })

  test('is replaced when Sluice writes the webhook secrets', () => {
    const folder = temporaryFolder()
    const { expectUnchanged } = plant(folder, 'webhooks.json.new')
    writeWebhooksFile(folder, webhooks)
    expectUnchanged()
    expect(readWebhooksFile(folder)).toEqual(webhooks)
  })

  test('does not make Sluice create its missing target', () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()]
    const target = path.join(elsewhere, 'made')
    for (const name of ['settings.json.new', 'sluice.log', 'journal.made'])
      symlinkSync(target, path.join(folder, name))
    writeDurably(path.join(folder, 'settings.json'), 'new')
    new LogFiles(folder).write('a line', () => '')
    openJournal(folder, () => 0, linuxPaths).journal.close()
    expect(existsSync(target)).toBe(false)
  })

  test('in place of the log gets no log lines', () => {
    const folder = temporaryFolder()
    const { expectUnchanged } = plant(folder, 'sluice.log')
    new LogFiles(folder).write('a line', () => '')
    expectUnchanged()
  })

  test('is refused in place of the lock, and its target is not truncated', () => {
    const folder = temporaryFolder()
    const { expectUnchanged } = plant(folder, 'agent.lock')
    expect(() => takeAgentLock(folder)).toThrow('agent.lock is a link, so it is not used.')
    expectUnchanged()
  })

  test.each(['journal.db', 'journal.db-wal'])('is refused in place of %s', (name) => {
    const folder = temporaryFolder()
    if (name !== 'journal.db') writeFileSync(path.join(folder, 'journal.db'), 'not empty')
    const { expectUnchanged } = plant(folder, name)
    const sentence = `${name} is a link, so it is not used.`
    expect(() => openDatabase(folder, 0, linuxPaths)).toThrow(sentence)
    expect(() => openExisting(folder)).toThrow(sentence)
    expectUnchanged()
  })

  test.each(['journal.in-use', 'journal.made', 'journal.backup.db.new'])(
    'in place of %s is replaced, and its target stays unchanged',
    async (name) => {
      const folder = temporaryFolder()
      const { expectUnchanged } = plant(folder, name)
      const { db } = openDatabase(folder, 0, linuxPaths)
      onTestFinished(() => void db.close())
      await backUp(db, folder)
      expectUnchanged()
    },
  )
})

test('a log folder that another user replaced with a link receives no lines', needs(linux, root), () => {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()]
  const logs = path.join(folder, 'logs')
  symlinkSync(elsewhere, logs)
  new LogFiles(logs).write('by root’s own link', () => '')
  expect(readdirSync(elsewhere)).toEqual(['sluice.log'])
  lchownSync(logs, OTHER_UID, OTHER_UID)
  new LogFiles(logs).write('by a planted one', () => '')
  expect(readFileSync(path.join(elsewhere, 'sluice.log'), 'utf8')).not.toContain('planted')
})

describe("a file that root creates in the folder of a service's user", needs(linux, root), () => {
  test('belongs to that user, so that the service can read it', () => {
    const folder = path.join(temporaryFolder(), 'data')
    mkdirSync(folder, { mode: 0o700 })
    chownSync(folder, OTHER_UID, OTHER_UID)
    writeWebhooksFile(folder, webhooks)
    new LogFiles(folder).write('a line', () => '')
    for (const name of ['webhooks.json', 'sluice.log']) {
      const { uid, gid, mode } = statSync(path.join(folder, name))
      expect([uid, gid, mode & 0o777], name).toEqual([OTHER_UID, OTHER_UID, 0o600])
    }
  })
})

describe('settings that belong to another user', needs(linux, root), () => {
  const settingsOf = (owner: number): string => {
    const file = path.join(temporaryFolder(), 'settings.json')
    writeFileSync(file, settings, { mode: 0o644 })
    chownSync(file, owner, owner)
    return file
  }

  test('are refused with or without a key in the environment', () => {
    const file = settingsOf(OTHER_UID)
    for (const environment of [{}, { SLUICE_API_KEY: 'svc_test_from_the_environment' }])
      expect(() => readSettings(file, environment)).toThrow(
        `${file} belongs to another user, so it is not used.`,
      )
  })

  test('are refused by sluice run in one sentence', async () => {
    const station = await Station.open()
    onTestFinished(() => station.close())
    chownSync(station.settingsFile, OTHER_UID, OTHER_UID)
    const result = await station.command('run', '--settings', station.settingsFile, '--until-idle')
    expect(result.code).toBe(1)
    expect(result.err).toBe(
      `sluice: ${station.settingsFile} belongs to another user, so it is not used. Give it to root: chown root ${station.settingsFile}\n`,
    )
  })
})

test.each([
  ['root', 0, 0o644, true],
  ['the user', 1000, 0o600, true],
  ['the user whose group may change it', 1000, 0o664, false],
  ['another user', 1001, 0o600, false],
])(
  'Sluice trusts settings only of root or its own user, and only if no one else may change them: a file of %s',
  (_whose, uid, mode, isTrusted) => {
    expect(whyUntrusted('settings.json', rightsOf({ uid, mode }, 'linux', 1000)) === null).toBe(isTrusted)
  },
)
