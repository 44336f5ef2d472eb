import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readKeyFile } from '../../../../main/managed/key-file.ts'
import { managedFileOf, readManagedFile } from '../../../../main/managed/managed-file.ts'
import { type ManagedState, ManagedStation } from '../../../../main/managed/managed-station.ts'
import { rightsOf } from '../../../../main/managed/rights.ts'
import { root as asRoot, needs, posix } from '../../../support/needs.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-managed-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const pathOf = (name: string) => path.join(folder, name)
const write = (name: string, content: unknown, mode = 0o644) => {
  writeFileSync(
    pathOf(name),
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )
  chmodSync(pathOf(name), mode)
}

it.each([
  ['linux', '/etc/sluice/settings.json'],
  ['darwin', '/Library/Application Support/Sluice/settings.json'],
  ['win32', 'D:\\ProgramData\\Sluice\\settings.json'],
] as const)('on %s the managed file is %s', (platform, file) => {
  expect(managedFileOf(platform, { ProgramData: 'D:\\ProgramData' })).toBe(file)
})

describe('a managed file', () => {
  const reason = () => {
    const managedFile = readManagedFile(pathOf('m.json'))
    return managedFile.kind === 'bad' ? managedFile.reason : managedFile.kind
  }

  it('may have a byte order mark or be UTF-16 from Notepad', () => {
    for (const text of [
      Buffer.from('\uFEFF{"follow":{"poll_seconds":3}}', 'utf8'),
      Buffer.from('\uFEFF{"follow":{"poll_seconds":3}}', 'utf16le'),
    ]) {
      write('m.json', text)
      expect(readManagedFile(pathOf('m.json'))).toMatchObject({ managed: { follow: { poll_seconds: 3 } } })
    }
  })

  it('counts as missing if it does not exist or its folder is a file', () => {
    expect(reason()).toBe('missing')
    write('m.json', {})
    expect(readManagedFile(pathOf('m.json/inside')).kind).toBe('missing')
  })

  it.each<[string, string, RegExp]>([
    ['invalid JSON', '{\n  "follow": {,}\n}', /not valid JSON: see line 2, column 14/],
    ['a wrong type', '{"follow":{"poll_seconds":"3"}}', /follow\.poll_seconds: /],
    ['an unknown field', '{"folow":{}}', /folow/],
    [
      'a relative folder',
      '{"folders":[{"path":"rec","site":"a"}]}',
      /folders\[0\]\.path: Give the full path/,
    ],
    [
      'an unknown placeholder',
      '{"folders":[{"path":"/r","site":"{host}"}]}',
      /folders\[0\]\.site: unknown placeholder \{host\}/,
    ],
    [
      'hours that overlap',
      '{"transfer":{"windows":[{"from":"01:00","to":"03:00"},{"from":"02:00","to":"04:00"}]}}',
      /transfer\.windows\[1\]: these hours overlap/,
    ],
    ['bytes that are not text', '{"follow"\xff', /not valid/],
  ])('with %s is refused, and the message shows where the mistake is', (_, text, words) => {
    write('m.json', Buffer.from(text, 'latin1'))
    expect(reason()).toMatch(words)
  })

  it('with a key and a mistake is refused, and the message does not quote the key', () => {
    write('m.json', '{"service":{"base_url":"https://a.example.com","svc_live_secret123":1}}', 0o600)
    expect(reason()).not.toContain('secret123')
    write('m.json', '{"service":{"api_key":"svc_live_secret123"', 0o600)
    expect(reason()).not.toContain('secret123')
  })

  it('that others can change is not used, and the message shows how to fix this', needs(posix), () => {
    write('m.json', {}, 0o664)
    expect(reason()).toMatch(/can be changed by others, so it is not used\. Restrict access: chmod go-w /)
    write('m.json', {}, 0o646)
    expect(reason()).toMatch(/can be changed by others/)
    write('m.json', {}, 0o644)
    expect(reason()).toBe('good')
  })

  it('of another user is not used', needs(posix, asRoot), () => {
    write('m.json', {})
    chownSync(pathOf('m.json'), 1234, 0)
    expect(reason()).toMatch(/belongs to another user, so it is not used\. Give it to root: chown root /)
    // A file may belong to root or to the user who runs Sluice.
    expect(rightsOf({ uid: 0, mode: 0o644 }, 'linux', 1000)?.owner).toBe('root')
    expect(rightsOf({ uid: 1000, mode: 0o644 }, 'linux', 1000)?.owner).toBe('self')
    expect(rightsOf({ uid: 0, mode: 0o666 }, 'win32', 1000)).toBeNull()
  })

  it('is not used if it holds a key and others can read it', needs(posix), () => {
    const service = { base_url: 'https://a.example.com', api_key: 'svc_live_x' }
    write('m.json', { service })
    expect(reason()).toMatch(
      /holds the API key, and others can read it\. Move the key .*service\.api_key_file/,
    )
    write('m.json', { service }, 0o600)
    expect(reason()).toBe('good')
  })

  it.each([
    [
      'a monitoring token or URL',
      { monitoring: { metrics: { port: 9464, token: 'secret-0123456789abcdef' } } },
    ],
    ['a monitoring token or URL', { monitoring: { heartbeat_url: 'https://hc.example.com/secret-012' } }],
    ['a monitoring token or URL', { monitoring: { alert_url: 'https://chat.example.com/secret-012' } }],
    ['the password of the proxy', { service: { proxy: 'http://user:secret-012@proxy.example.com:3128' } }],
  ])('is not used if it holds %s and others can read it', needs(posix), (secret, settings) => {
    write('m.json', settings)
    expect(reason()).toContain(`holds ${secret}, and others can read it. Restrict access: chmod 600`)
    expect(reason()).not.toContain('secret-012')
    write('m.json', settings, 0o600)
    expect(reason()).toBe('good')
  })
})

describe('a key file', () => {
  it('may have whitespace around the key', () => {
    write('key', '\uFEFFsvc_live_abc\r\n', 0o600)
    expect(readKeyFile(pathOf('key'))).toEqual({ ok: true, key: 'svc_live_abc' })
  })

  it(
    'that others can read is refused; only a key file of root may be readable by its group',
    needs(posix),
    () => {
      write('key', 'svc_live_abc', 0o644)
      expect(readKeyFile(pathOf('key'))).toMatchObject({
        sentence: expect.stringMatching(/others can read.*chmod 600/),
      })
      write('key', 'svc_live_abc', 0o640)
      expect(readKeyFile(pathOf('key')).ok).toBe(process.geteuid?.() === 0)
    },
  )

  it.each(['', 'two\u00e9', 'x'.repeat(600)])(
    'without a valid key (%j) is refused, and the message does not quote its content',
    (text) => {
      write('key', text, 0o600)
      expect(readKeyFile(pathOf('key'))).toMatchObject({
        sentence: `${pathOf('key')} does not hold an API key: it must hold the key and nothing else.`,
      })
    },
  )

  it('that is missing is named in the message', () => {
    expect(readKeyFile(pathOf('key'))).toMatchObject({
      sentence: `The key file ${pathOf('key')} is missing.`,
    })
  })
})

describe('a managed station', () => {
  let nowMs = 0
  let hasOwnService = true
  let changes: ManagedState[] = []
  const logLines: string[] = []
  const open = () => {
    changes = []
    const station = new ManagedStation({
      file: pathOf('m.json'),
      dataFolder: pathOf('data'),
      hasOwnService: () => hasOwnService,
      clock: { monotonicMs: () => nowMs },
      log: (message) => void logLines.push(message),
      onChange: (state) => void changes.push(state),
    })
    station.read()
    return station
  }
  const checkAfter = (station: ManagedStation, ms: number) => {
    station.check()
    nowMs += ms
    station.check()
  }
  const settingsWithPoll = (poll_seconds: number) => ({ follow: { poll_seconds } })

  it('applies the file and each change to it', () => {
    hasOwnService = true
    const station = open()
    expect(station.state).toEqual({ managed: null, problem: null })
    for (const seconds of [3, 4]) {
      write('m.json', settingsWithPoll(seconds))
      station.check()
      station.check()
      expect(station.state).toEqual({ managed: settingsWithPoll(seconds), problem: null })
    }
    expect(changes).toHaveLength(2)
  })

  it('keeps the last valid settings while the file is invalid, even after a restart, and reports the problem', () => {
    write('m.json', settingsWithPoll(3))
    open()
    write('m.json', '{"follow":')
    for (const station of [open(), open()]) {
      expect(station.state.managed).toEqual(settingsWithPoll(3))
      expect(station.state.problem).toMatch(/m\.json is not valid JSON: see line 1/)
    }
    write('m.json', settingsWithPoll(5))
    expect(open().state).toEqual({ managed: settingsWithPoll(5), problem: null })
  })

  it('uses its own settings if there was never a valid file, and reports the problem', () => {
    write('m.json', '[]')
    const station = open()
    expect(station.state.managed).toBeNull()
    expect(station.state.problem).not.toBeNull()
  })

  it('drops the managed settings once the file has been missing for a minute', () => {
    hasOwnService = true
    write('m.json', settingsWithPoll(3))
    const station = open()
    rmSync(pathOf('m.json'))
    checkAfter(station, 59_000)
    expect(station.state.managed).toEqual(settingsWithPoll(3))
    checkAfter(station, 2_000)
    expect(station.state).toEqual({ managed: null, problem: null })
    expect(existsSync(pathOf('data/settings.managed.json'))).toBe(false)
    expect(open().state.managed).toBeNull()
  })

  it('keeps the settings if a file that was invalid for long is removed and created again', () => {
    hasOwnService = true
    write('m.json', settingsWithPoll(3))
    const station = open()
    write('m.json', '{"follow":')
    station.check()
    checkAfter(station, 120_000)
    rmSync(pathOf('m.json'))
    checkAfter(station, 1_000)
    expect(station.state.managed).toEqual(settingsWithPoll(3))
    write('m.json', settingsWithPoll(5))
    station.check()
    expect(station.state).toEqual({ managed: settingsWithPoll(5), problem: null })
  })

  it('without its own service, keeps the settings of a missing file until there is a file again', () => {
    hasOwnService = false
    const managed = { service: { base_url: 'https://a.example.com' } }
    write('m.json', managed)
    open()
    rmSync(pathOf('m.json'))
    const station = open()
    checkAfter(station, 61_000)
    expect(station.state.managed).toMatchObject(managed)
    expect(station.state.problem).toMatch(
      /is gone, but its settings stay active, because without them this station has no service/,
    )
    write('m.json', {})
    station.check()
    expect(station.state).toEqual({ managed: {}, problem: null })
  })

  it('saves a copy of the managed settings in its data folder', needs(posix), () => {
    write('m.json', settingsWithPoll(3))
    open()
    expect(JSON.parse(readFileSync(pathOf('data/settings.managed.json'), 'utf8'))).toEqual(
      settingsWithPoll(3),
    )
  })

  it('waits while another program holds the file open, and reports this after a minute', () => {
    let isHeld = true
    const station = new ManagedStation({
      file: pathOf('m.json'),
      dataFolder: pathOf('data'),
      hasOwnService: () => true,
      clock: { monotonicMs: () => nowMs },
      log: () => {},
      onChange: () => {},
      read: (file, paths) => (isHeld ? { kind: 'held' } : readManagedFile(file, paths)),
    })
    write('m.json', settingsWithPoll(3))
    station.read()
    checkAfter(station, 59_000)
    expect(station.state.problem).toBeNull()
    checkAfter(station, 2_000)
    expect(station.state.problem).toMatch(/held open by another program/)
    isHeld = false
    station.check()
    expect(station.state).toEqual({ managed: settingsWithPoll(3), problem: null })
  })
})
