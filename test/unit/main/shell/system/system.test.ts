import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { chooseProxy } from '../../../../../main/agent/station/service-connection.ts'
import { requireFile, requireFolder } from '../../../../../main/shell/calls/require-file.ts'
import { ownArguments, parseCommandLine } from '../../../../../main/shell/system/command-line.ts'
import { bytesAreMoving, KeepAwake } from '../../../../../main/shell/system/keep-awake.ts'
import { proxyFromPac, systemProxy } from '../../../../../main/shell/system/proxy.ts'
import { usablePlace, type WindowState } from '../../../../../main/shell/window/window-state.ts'
import { watchResponses } from '../../../../../main/supervisor/response-watch.ts'
import { sleepDetector } from '../../../../../shared/clock/sleep-detector.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { aProblem, aStatus } from '../status-fixture.ts'

describe('the command line', () => {
  it('names an unknown option, and points to `--help`', () => {
    expect(() => parseCommandLine(['--wrong'], false)).toThrow(/^Unknown option '--wrong'.*--help/)
  })
  it('finds the arguments for Sluice after the switches of a test driver', () => {
    const tree = path.resolve('.')
    const argvOfDriver = ['electron', '--inspect=0', '--remote-debugging-port=0', tree, '--data', '/x']
    expect(parseCommandLine(ownArguments(argvOfDriver, tree), false)).toMatchObject({ data: '/x' })
    expect(parseCommandLine(ownArguments(['electron', '.', '--hidden'], tree), false)).toMatchObject({
      hidden: true,
    })
    expect(parseCommandLine(ownArguments(['sluice', '--hidden'], null), true)).toMatchObject({ hidden: true })
  })
  it('of a source tree accepts switches for Chromium', () => {
    expect(parseCommandLine(['--no-sandbox', '--data', '/x', '--hidden'], false)).toMatchObject({
      data: '/x',
      hidden: true,
    })
  })
})

describe('the command line of a package', () => {
  it.each([
    ['--remote-debugging-port=9222', '--remote-debugging-port'],
    ['--remote-debugging-pipe', '--remote-debugging-pipe'],
    ['--inspect', '--inspect'],
    ['--inspect-brk=0', '--inspect-brk'],
    ['--js-flags=--expose-gc', '--js-flags'],
    ['--no-sandbox', '--no-sandbox'],
    ['--disable-web-security', '--disable-web-security'],
    ['--enable-logging', '--enable-logging'],
    ['--user-data-dir=/x', '--user-data-dir'],
    ['--no-zygote', '--no-zygote'],
    ['--in-process-gpu', '--in-process-gpu'],
    // This switch would store the key without protection.
    ['--password-store=basic', '--password-store'],
    ['--use-mock-keychain', '--use-mock-keychain'],
    ['--use-fake-ui-for-media-stream', '--use-fake-ui-for-media-stream'],
    ['--force-fieldtrials=x/y', '--force-fieldtrials'],
  ])('refuses %s in one sentence', (argument, name) => {
    const argv = ['--hidden', argument]
    expect(() => parseCommandLine(argv, true)).toThrow(`${name} is not accepted by the installed Sluice.`)
    expect(parseCommandLine(argv, false)).toMatchObject({ hidden: true })
  })
  it.each(['-remote-debugging-port=9222', '/inspect', '--Inspect', '--remote_debugging'])(
    'also refuses different spellings of refused switches: %s',
    (argument) => expect(() => parseCommandLine([argument], true)).toThrow(/--help/),
  )
  it.each(['--load-extension=/x', '--proxy-server=x', '--host-rules=x', '--ignore-certificate-errors'])(
    'refuses unlisted switches of Chromium: %s',
    (argument) => expect(() => parseCommandLine([argument], true)).toThrow(/--help/),
  )
  it('accepts switches for appearance', () => {
    const appearanceSwitches = ['--ozone-platform=x11', '--lang=de', '--force-device-scale-factor=1.5']
    expect(parseCommandLine([...appearanceSwitches, '--data', '/x'], true)).toMatchObject({ data: '/x' })
  })
})

describe('the place of the window', () => {
  const screens = [
    { x: 0, y: 0, width: 1920, height: 1040 },
    { x: 1920, y: 0, width: 1280, height: 1024 },
  ]
  const placeAt = (x: number, y: number): WindowState => ({
    x,
    y,
    width: 1120,
    height: 760,
    maximized: false,
  })
  it.each([
    ['is kept on the first screen', placeAt(100, 100), true],
    ['is kept on the second screen', placeAt(2000, 40), true],
    ['is kept if half of it is outside the screen', placeAt(-600, 100), true],
    ['is dropped if its screen is no longer connected', placeAt(4000, 100), false],
    ['is dropped if its title bar is above the screen', placeAt(100, -50), false],
    ['is dropped if its title bar is below the screen', placeAt(100, 1030), false],
  ])('%s', (_, place, isKept) => {
    expect(usablePlace(place, screens)).toEqual(isKept ? place : null)
  })
})

describe('a file to be shown in its folder', () => {
  it('must exist, because file managers do not report a missing file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-shown-'))
    const file = path.join(folder, 'a.mcap')
    await expect(requireFile(file)).rejects.toThrow(`The file is no longer at ${file}.`)
    writeFileSync(file, '')
    await expect(requireFile(file)).resolves.toBe(file)
    rmSync(folder, { recursive: true })
  })
})

it('a file is never opened as a folder, because the file could be a program', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-opened-'))
  const program = path.join(folder, 'logs')
  writeFileSync(program, '', { mode: 0o755 })
  await expect(requireFolder(folder)).resolves.toBe(folder)
  await expect(requireFolder(program)).rejects.toThrow(`There is no folder at ${program}.`)
  rmSync(folder, { recursive: true })
})

describe('the sleep detector', () => {
  it('returns the longer delay of the two clocks, and ignores a clock that was set back', () => {
    let wallMs = 0
    let monotonicMs = 0
    const detectGap = sleepDetector({ wallMs: () => wallMs, monotonicMs: () => monotonicMs }, 5_000)
    const advance = (wall: number, monotonic: number) => {
      wallMs += wall
      monotonicMs += monotonic
      return detectGap()
    }
    expect(advance(5_000, 5_000)).toBe(0)
    expect(advance(6_200, 6_200)).toBe(1_200)
    expect(advance(3_600_000, 5_000)).toBe(3_595_000)
    expect(advance(5_000, 900_000)).toBe(895_000)
    expect(advance(-7_200_000, 5_000)).toBe(0)
    expect(advance(5_000, 5_000)).toBe(0)
  })
})

describe('the silence of a process', () => {
  it('counts from zero again after this process slept or was too busy', () => {
    let wallMs = 0
    let monotonicMs = 0
    const responses = watchResponses({ wallMs: () => wallMs, monotonicMs: () => monotonicMs }, 5_000)
    const advance = (wall: number, monotonic: number) => {
      wallMs += wall
      monotonicMs += monotonic
      return responses.measureSilentMs()
    }
    expect(advance(5_000, 5_000)).toBe(5_000)
    expect(advance(6_000, 6_000)).toBe(10_000)
    responses.noteAnswer()
    expect(advance(5_000, 5_000)).toBe(5_000)
    // The PC slept, or this process was stopped or too busy.
    expect(advance(3_600_000, 5_000)).toBe(0)
    expect(advance(5_000, 5_000)).toBe(5_000)
    expect(advance(3_600_000, 3_600_000)).toBe(0)
    expect(advance(15_000, 15_000)).toBe(0)
    expect(advance(-7_200_000, 5_000)).toBe(5_000)
  })
})

describe('Sluice keeps the PC awake', () => {
  const moving = { transfer: { bytesPerSecond: 5, bytesLeft: 10 } }
  it.each([
    ['while bytes move', aStatus(moving), true],
    [
      'not after the last byte has arrived',
      aStatus({ transfer: { bytesPerSecond: 5, bytesLeft: 0 } }),
      false,
    ],
    ['not while nothing moves', aStatus({ transfer: { bytesPerSecond: null, bytesLeft: 10 } }), false],
    ['not while paused', aStatus({ ...moving, station: { paused: true } }), false],
    ['not outside the upload hours', aStatus({ ...moving, station: { outsideWindowUntil: 'later' } }), false],
    ['not while offline', aStatus({ ...moving, station: { problem: aProblem() } }), false],
  ])('%s', (_, status, expected) => {
    expect(bytesAreMoving(status)).toBe(expected)
  })
  it('with one request to the system, which ends when no bytes move', () => {
    const blocker = { start: vi.fn(() => 7), stop: vi.fn() }
    const awake = new KeepAwake(blocker)
    for (const isWanted of [false, true, true, false, false]) awake.update(isWanted)
    expect(blocker.start).toHaveBeenCalledTimes(1)
    expect(blocker.stop.mock.calls).toEqual([[7]])
  })
})

describe('the proxy of the system', () => {
  it.each([
    ['DIRECT', { kind: 'direct' }],
    ['PROXY proxy.lab:3128; DIRECT', { kind: 'url', url: 'http://proxy.lab:3128' }],
    ['HTTPS secure.lab:443', { kind: 'url', url: 'https://secure.lab:443' }],
    ['SOCKS5 socks.lab:1080; PROXY proxy.lab:8080', { kind: 'url', url: 'http://proxy.lab:8080' }],
    ['SOCKS5 socks.lab:1080', { kind: 'direct' }],
    ['', { kind: 'direct' }],
  ])('is read from the answer “%s”', (answer, expected) => {
    expect(proxyFromPac(answer)).toEqual(expected)
  })
  it('is read for the address of the service, if the settings use it', async () => {
    const session = { resolveProxy: vi.fn(async () => 'DIRECT') }
    const { service } = settingsSchema.parse({
      service: { base_url: 'https://api.example.com' },
      folders: [{ path: '/recordings', site: 'Hall 3' }],
    })
    expect(await systemProxy(session, service)).toEqual({ kind: 'direct' })
    expect(session.resolveProxy).toHaveBeenCalledWith('https://api.example.com')
    expect(await systemProxy(session, { ...service, proxy: 'none' })).toEqual({ kind: 'unknown' })
    expect(await systemProxy(session, undefined)).toEqual({ kind: 'unknown' })
    expect(session.resolveProxy).toHaveBeenCalledTimes(1)
  })
  it.each([
    ['system', { kind: 'unknown' }, { kind: 'environment' }],
    ['system', { kind: 'direct' }, { kind: 'none' }],
    ['system', { kind: 'url', url: 'http://proxy.lab' }, { kind: 'url', url: 'http://proxy.lab' }],
    ['environment', { kind: 'direct' }, { kind: 'environment' }],
    ['none', { kind: 'url', url: 'http://proxy.lab' }, { kind: 'none' }],
    ['http://other.lab', { kind: 'direct' }, { kind: 'url', url: 'http://other.lab' }],
  ] as const)(
    'with the setting %s and the system’s proxy %o, the agent uses %o',
    (setting, system, expected) => {
      expect(chooseProxy(setting, system)).toEqual(expected)
    },
  )
})
