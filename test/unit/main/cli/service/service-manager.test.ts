import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ServicePlan } from '../../../../../main/cli/service/service-files.ts'
import {
  dataFolderFor,
  defaultAccountFor,
  installUnit,
  makeAccount,
  type Outcome,
  ownerOf,
  registeredUnit,
  type SystemdOptions,
  startUnit,
  uninstallUnit,
  unitFileOf,
  unitState,
} from '../../../../../main/cli/service/service-manager.ts'

/** The tests run no program: they check the command lines. */

let base: string
let commandLines: string[]
let answers: Record<string, Partial<Outcome>>
const options = (isUser = false): SystemdOptions => ({
  isUser,
  unitFolder: path.join(base, 'units'),
  run: (program, args) => {
    expect(path.isAbsolute(program)).toBe(true)
    const line = [path.basename(program), ...args].join(' ')
    commandLines.push(line)
    return { code: 0, out: '', err: '', ...answers[line] }
  },
})
const plan: ServicePlan = {
  program: ['/opt/Sluice/sluice', '--'],
  dataFolder: '/var/lib/sluice',
  account: 'sluice',
  group: null,
  keyFile: null,
  runsAsNode: false,
}

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-units-'))
  commandLines = []
  answers = {}
})
afterEach(() => rmSync(base, { recursive: true }))

test('an install creates the account once, writes the unit, and enables it', () => {
  answers['getent passwd sluice'] = { code: 2 }
  makeAccount(options(), 'sluice')
  installUnit(plan, options())
  expect(commandLines).toEqual([
    'getent passwd sluice',
    'useradd --system --user-group --home-dir /var/lib/sluice --shell /usr/sbin/nologin sluice',
    'systemctl daemon-reload',
    'systemctl enable sluice.service',
  ])
  expect(readFileSync(unitFileOf(options()), 'utf8')).toContain('User=sluice')
  // Windows has no file modes.
  if (process.platform !== 'win32') expect(statSync(unitFileOf(options())).mode & 0o777).toBe(0o644)
  commandLines = []
  answers['getent passwd sluice'] = { out: 'sluice:x:998:997::/var/lib/sluice:/usr/sbin/nologin' }
  makeAccount(options(), 'sluice')
  expect(ownerOf(options(), 'sluice')).toEqual({ uid: 998, gid: 997 })
  expect(() => ownerOf(options(), 'nobody-here')).toThrow('There is no account')
  expect(commandLines).not.toContainEqual(expect.stringContaining('useradd'))
})

test('reads the account and group of the installed unit, so that a new install can keep them', () => {
  expect(registeredUnit(options())).toEqual({ account: null, group: null })
  installUnit({ ...plan, account: 'recorder', group: 'recorders' }, options())
  expect(registeredUnit(options())).toEqual({ account: 'recorder', group: 'recorders' })
  installUnit(plan, options())
  expect(registeredUnit(options())).toEqual({ account: 'sluice', group: null })
})

test('a service of one user keeps running after the sign-out', () => {
  installUnit({ ...plan, account: null }, options(true))
  expect(commandLines).toContain('systemctl --user enable sluice.service')
  expect(commandLines.at(-1)).toMatch(/^loginctl enable-linger /)
})

test('if a user may not enable lingering, the install succeeds, and the user gets the command for an administrator', () => {
  const { username } = userInfo()
  answers[`loginctl enable-linger ${username}`] = { code: 1, err: 'Access denied' }
  expect(installUnit({ ...plan, account: null }, options(true))).toContain(
    `an administrator runs: loginctl enable-linger ${username}`,
  )
  delete answers[`loginctl enable-linger ${username}`]
  expect(installUnit({ ...plan, account: null }, options(true))).toBeNull()
})

test('Sluice reports an error of systemd with the message of systemd', () => {
  answers['systemctl restart sluice.service'] = { code: 1, err: 'Unit sluice.service not found.\n' }
  expect(() => startUnit(options())).toThrow(
    'The background service could not be started. Unit sluice.service not found.',
  )
})

test('an uninstall stops the service, removes its unit, and can be repeated', () => {
  installUnit(plan, options())
  commandLines = []
  expect(uninstallUnit(options())).toBe(true)
  expect(commandLines).toEqual(['systemctl disable --now sluice.service', 'systemctl daemon-reload'])
  expect(existsSync(unitFileOf(options()))).toBe(false)
  expect(uninstallUnit(options())).toBe(false)
})

test('a system service has the usual data folder and account of each platform', () => {
  expect(dataFolderFor(false, 'win32', { ProgramData: 'D:\\ProgramData' })).toBe(
    'D:\\ProgramData\\Sluice\\data',
  )
  expect(dataFolderFor(false, 'darwin', {})).toBe('/Library/Application Support/Sluice/data')
  expect(dataFolderFor(false, 'linux', {})).toBe('/var/lib/sluice')
  expect(['win32', 'darwin', 'linux'].map((each) => defaultAccountFor(each as NodeJS.Platform))).toEqual([
    'LOCAL SERVICE',
    'sluice',
    'sluice',
  ])
})

test('reports whether the unit is installed, enabled and active', () => {
  answers['systemctl is-active sluice.service'] = { code: 3 }
  expect(unitState(options())).toEqual({ installed: false, enabled: true, active: false })
})
