import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { windowsSystemFile } from '../../shared/paths/system-files.ts'
import { type Need, needs } from '../support/needs.ts'
import { until } from '../support/station.ts'

/** The folder of the installers. On Linux, `npm run package -- --installers --for win32-x64` builds them. */
const dist = path.join(import.meta.dirname, '../../dist')
const installer = (ending: string): string => {
  const names = existsSync(dist) ? readdirSync(dist) : []
  const name = names.find((each) => each.startsWith('Sluice-') && each.endsWith(ending))
  return name === undefined ? '' : path.join(dist, name)
}
const installers: Need = () =>
  installer('.exe') === '' || installer('.msi') === '' ? 'the installers for Windows in dist' : null
const realWindows: Need = () =>
  process.env.SLUICE_WINE === undefined ? null : 'Windows itself, since Wine stores no access lists'

const x64Programs: Need = () =>
  process.env.SLUICE_WINE === undefined || process.arch === 'x64'
    ? null
    : 'a PC that runs x64 programs, since Wine on arm64 runs only arm64 programs'

const PROGRAM = path.join(process.env.ProgramFiles ?? 'C:\\Program Files', 'Sluice')
const MACHINE_FOLDER = path.join(process.env.ProgramData ?? 'C:\\ProgramData', 'Sluice')
const RUN_KEY = 'HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Run'
const system = (name: string) => windowsSystemFile(name, process.env)

const startsAtLogin = () =>
  spawnSync(system('reg.exe'), ['query', RUN_KEY, '/v', 'Sluice', '/reg:64']).status === 0

const kinds = [
  {
    kind: 'the NSIS installer',
    needed: [installers, x64Programs],
    install: (options: readonly string[], settings: string | null) =>
      spawnSync(
        installer('.exe'),
        [
          '/S',
          ...options.map((option) => ({ SERVICE: '/service', STARTATLOGIN: '/startatlogin' })[option] ?? ''),
          ...(settings === null ? [] : [`/settings=${settings}`]),
        ],
        { windowsVerbatimArguments: true },
      ).status,
    uninstall: () => spawnSync(path.join(PROGRAM, 'uninstall.exe'), ['/S']).status,
  },
  {
    kind: 'the .msi',
    needed: [installers],
    install: (options: readonly string[], settings: string | null) =>
      spawnSync(system('msiexec.exe'), [
        ...['/i', installer('.msi'), '/qn'],
        ...options.map((option) => `${option}=1`),
        ...(settings === null ? [] : [`SETTINGS=${settings}`]),
      ]).status,
    uninstall: () => spawnSync(system('msiexec.exe'), ['/x', installer('.msi'), '/qn']).status,
  },
]

const testKind = ({ install, uninstall }: (typeof kinds)[number]) => {
  let work: string
  let settings: string
  beforeEach(() => {
    work = mkdtempSync(path.join(tmpdir(), 'sluice-installer-'))
    settings = path.join(work, 'settings.json')
    writeFileSync(settings, '{"follow":{"poll_seconds":3}}')
  })
  afterEach(() => {
    if (existsSync(path.join(PROGRAM, 'Sluice.exe'))) uninstall()
    rmSync(work, { recursive: true, force: true })
    rmSync(MACHINE_FOLDER, { recursive: true, force: true })
  })
  const isRemoved = () => until('the program is removed', () => !existsSync(path.join(PROGRAM, 'Sluice.exe')))

  test('installs silently, applies its options, can be installed again, and uninstalls', async () => {
    expect(install(['STARTATLOGIN'], settings)).toBe(0)
    expect(statSync(path.join(PROGRAM, 'resources/app.asar')).size).toBeGreaterThan(1e6)
    expect(readFileSync(path.join(MACHINE_FOLDER, 'settings.json'), 'utf8')).toBe(
      readFileSync(settings, 'utf8'),
    )
    expect(startsAtLogin()).toBe(true)

    expect(install([], null)).toBe(0)
    expect(existsSync(path.join(PROGRAM, 'Sluice.exe'))).toBe(true)
    expect(startsAtLogin()).toBe(true)

    const installed = path.join(MACHINE_FOLDER, 'settings.json')
    expect(install([], installed), 'with the installed settings as the source').toBe(0)
    expect(readFileSync(installed, 'utf8')).toBe(readFileSync(settings, 'utf8'))

    expect(uninstall()).toBe(0)
    await isRemoved()
    await until('the start at login is removed', () => !startsAtLogin())
    expect(existsSync(path.join(MACHINE_FOLDER, 'settings.json'))).toBe(true)
  })

  test('refuses settings that do not exist', () => {
    expect(install([], path.join(work, 'missing.json'))).not.toBe(0)
  })

  test(
    'lets only administrators and SYSTEM change the managed settings',
    needs(installers, realWindows),
    () => {
      expect(install([], settings)).toBe(0)
      const list = execFileSync(system('icacls.exe'), [MACHINE_FOLDER, '/save', path.join(work, 'list')])
      expect(list.toString()).toContain('Sluice')
      const sddl = readFileSync(path.join(work, 'list'), 'utf16le')
      // `P` means that the folder inherits no entries.
      expect(sddl).toMatch(/D:P[A-Z]*/)
      const entries = [...sddl.matchAll(/\(A;OICI;([^;]+);;;(\w+)\)/g)].map(
        ([, right, who]) => `${who} ${right}`,
      )
      expect(entries.toSorted()).toEqual(['BA FA', 'BU 0x1200a9', 'SY FA'])
    },
  )

  test(
    'registers the task of the background service, keeps the task when it installs again, and removes it when it uninstalls',
    needs(installers, realWindows),
    async () => {
      const task = () => spawnSync(system('schtasks.exe'), ['/Query', '/TN', 'Sluice']).status
      expect(install(['SERVICE'], settings)).toBe(0)
      expect(task()).toBe(0)
      expect(install([], null)).toBe(0)
      expect(task()).toBe(0)
      expect(uninstall()).toBe(0)
      await isRemoved()
      expect(task()).not.toBe(0)
    },
  )
}

for (const each of kinds) describe(each.kind, needs(...each.needed), () => testKind(each))

test(
  'the NSIS installer does not kill the updater that started it',
  needs(installers, x64Programs),
  async () => {
    const work = mkdtempSync(path.join(tmpdir(), 'sluice-updater-'))
    // The installer kills each Sluice.exe except its updater.
    const program = path.join(work, 'Sluice.exe')
    copyFileSync(process.execPath, program)
    try {
      const updater = spawn(program, ['-e', 'setTimeout(() => process.exit(7), 10_000)'], { stdio: 'ignore' })
      const updaterEnd = once(updater, 'exit')
      const setup = spawn(installer('.exe'), ['/S', `/updater=${updater.pid}`], { stdio: 'ignore' })
      const [setupCode] = await once(setup, 'exit')
      expect(setupCode).toBe(0)
      expect((await updaterEnd)[0]).toBe(7)
    } finally {
      spawnSync(path.join(PROGRAM, 'uninstall.exe'), ['/S'])
      await until('the program is removed', () => !existsSync(path.join(PROGRAM, 'Sluice.exe')))
      rmSync(work, { recursive: true, force: true })
      rmSync(MACHINE_FOLDER, { recursive: true, force: true })
    }
  },
)
