import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { restrictToOwner } from '../../main/local-files/owner-only.ts'
import { linux, needs, posix, root } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { readSettings } from '../support/read-settings.ts'
import { Station } from '../support/station.ts'
import { temporaryFolder } from './platform-support.ts'

const modeOf = (file: string) => statSync(file).mode & 0o777
const openToOthers = (folder: string): string[] =>
  ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
    .map((name) => path.join(folder, name))
    .filter((file) => (statSync(file).mode & 0o077) !== 0)

const openStation = async () => {
  const station = await Station.open()
  onTestFinished(() => station.close())
  return station
}

/** A command prefix that takes away root's right to change the permissions of other users' files. */
const withoutOwnership = ['setpriv', '--bounding-set', '-fowner'] as const

describe('restricting the data folder to its owner', needs(posix), () => {
  test('makes new files private, and also readable files of an earlier version', async () => {
    const station = await openStation()
    for (const name of ['logs', 'journal-trial', 'newer-2026-03-12T07-42-00-000Z'])
      mkdirSync(path.join(station.data, name), { recursive: true, mode: 0o755 })
    // This also damages the journal, so that Sluice creates a folder for the damaged copy.
    for (const name of ['journal.made', 'journal.db', 'settings.last-good.json', 'logs/agent.old.log'])
      writeFileSync(path.join(station.data, name), 'from an earlier version', { mode: 0o644 })
    writeFileSync(path.join(station.recordings, 'take.bin'), 'some bytes')
    const run = `umask 000; exec "$0" "$@"`
    const args = ['run', '--settings', station.settingsFile, '--data', station.data, '--until-idle']
    execFileSync('sh', ['-c', run, process.execPath, agentProgram, ...args], { stdio: 'pipe' })

    const fileNames = readdirSync(station.data)
    expect(fileNames).toEqual(
      expect.arrayContaining(['journal.db', 'journal.backup.db', 'first-seen.json', 'agent.lock', 'logs']),
    )
    expect(fileNames.some((name) => name.startsWith('damaged-'))).toBe(true)
    expect(openToOthers(station.data)).toEqual([])
  })

  test('changes the rights of Sluice’s files only, never of a link target or a shared folder', () => {
    const [folder, shared, other] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const foreignFile = path.join(folder, 'notes.txt')
    const linkTarget = path.join(other, 'journal.db')
    for (const file of [foreignFile, linkTarget, path.join(folder, 'key.bin')])
      writeFileSync(file, '', { mode: 0o644 })
    symlinkSync(linkTarget, path.join(folder, 'journal.db'))
    symlinkSync(other, path.join(folder, 'logs'))
    chmodSync(folder, 0o755)
    chmodSync(other, 0o755)
    chmodSync(shared, 0o1777)
    expect(restrictToOwner(folder)).toEqual([])
    expect(restrictToOwner(shared)).toEqual([])
    expect(restrictToOwner(path.join(folder, 'not-there-yet'))).toEqual([])
    expect(modeOf(folder)).toBe(0o700)
    expect(modeOf(path.join(folder, 'key.bin'))).toBe(0o600)
    expect([foreignFile, linkTarget].map(modeOf)).toEqual([0o644, 0o644])
    expect([other, shared].map(modeOf)).toEqual([0o755, 0o777])
  })

  test('protects all files of the app, at any depth', () => {
    const folder = temporaryFolder()
    const appFiles = [
      ...[
        'monitoring.bin',
        'sandbox.json',
        'hidden-window-announced',
        'settings.managed.json',
        'webhooks.json.new',
        'first-seen.json',
      ],
      ...['sluice-receipt-2026-03-12-0842.json', 'try-out/journal.db-wal', 'try-out/damaged-1/journal.db'],
      ...['sandbox/sandbox.db', 'sandbox/parts/1', 'compiled/v24/1', 'Crashpad/completed/1.dmp'],
      ...['Local Storage/leveldb/LOG', 'Network/Cookies-journal', 'Preferences', 'Code Cache/js/index'],
    ]
    for (const name of appFiles) {
      mkdirSync(path.join(folder, path.dirname(name)), { recursive: true, mode: 0o755 })
      writeFileSync(path.join(folder, name), '', { mode: 0o644 })
    }
    expect(restrictToOwner(folder)).toEqual([])
    expect(openToOthers(folder)).toEqual([])
  })

  test('does nothing on Windows', () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    restrictToOwner(folder, 'win32')
    expect(modeOf(folder)).toBe(0o755)
  })

  test('reports files of another user, and continues with the rest', needs(linux, root), () => {
    const folder = temporaryFolder()
    for (const name of ['journal.backup.db', 'key.bin'])
      writeFileSync(path.join(folder, name), '', { mode: 0o644 })
    chownSync(path.join(folder, 'journal.backup.db'), 12345, 12345)
    const module = path.resolve(import.meta.dirname, '../../main/local-files/owner-only.ts')
    const script = `const { restrictToOwner } = await import(${JSON.stringify(module)})
      console.log(JSON.stringify(restrictToOwner(${JSON.stringify(folder)})))`
    const command = [process.execPath, '--input-type=module', '-e', script]
    const output = execFileSync(withoutOwnership[0], [...withoutOwnership.slice(1), ...command], {
      encoding: 'utf8',
    })
    expect(JSON.parse(output)).toEqual([
      expect.stringContaining(`Others may read ${path.join(folder, 'journal.backup.db')}`),
    ])
    expect(modeOf(path.join(folder, 'key.bin'))).toBe(0o600)
  })
})

describe('a settings file', needs(posix), () => {
  test('with the key in it is refused while others can read it; the error shows the command that fixes this', async () => {
    const station = await openStation()
    chmodSync(station.settingsFile, 0o644)
    const result = await station.command('run', '--settings', station.settingsFile, '--until-idle')
    expect(result.code).toBe(1)
    expect(result.err).toContain(`chmod 600 ${station.settingsFile}`)
    expect(result.err.trimEnd().split('\n')).toHaveLength(1)
    expect(result.err + result.out).not.toContain(station.sandbox.keys.write)

    station.configure({ service: { api_key: undefined } })
    const withoutKey = await station.command('run', '--settings', station.settingsFile, '--until-idle')
    expect(withoutKey.err).not.toContain('chmod')
  })

  test('is refused while others can change it, even if the key is not in it', () => {
    const file = path.join(temporaryFolder(), 'settings.json')
    writeFileSync(file, JSON.stringify({ service: { base_url: 'https://api.example.com' } }))
    const readWithMode = (mode: number) => {
      chmodSync(file, mode)
      return readSettings(file, { SLUICE_API_KEY: 'svc_test_from_the_environment' })
    }
    for (const mode of [0o646, 0o664]) expect(() => readWithMode(mode)).toThrow(`chmod go-w ${file}`)
    expect(readWithMode(0o644).apiKey).toBe('svc_test_from_the_environment')
  })

  test('that is not JSON is reported by line and column, and not quoted', async () => {
    const station = await openStation()
    const text = readFileSync(station.settingsFile, 'utf8').replace('"api_key":"', '\n "api_key": ')
    writeFileSync(station.settingsFile, text)
    const result = await station.command('run', '--settings', station.settingsFile)
    expect(result.code).toBe(1)
    expect(result.err).toBe(
      `sluice: ${station.settingsFile} is not valid JSON: see line 2, column 13. Text needs quotation marks.\n`,
    )
  })
})
