import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { registeredAccount } from '../../../../../main/cli/service/registered-account.ts'
import { type ServicePlan, scheduledTask } from '../../../../../main/cli/service/service-files.ts'
import { makeDataFolder, type WindowsOptions } from '../../../../../main/cli/service/windows-task.ts'
import type { WindowsRights } from '../../../../../main/managed/security-descriptor.ts'
import { needs, posix } from '../../../../support/needs.ts'
import {
  ADMINISTRATORS,
  FULL,
  MALLORY,
  MODIFY,
  READ,
  SYSTEM,
} from '../../../../support/security-descriptor.ts'

const STATION = 'S-1-5-21-1-2-3-1007'
const names: Readonly<Record<string, string>> = { [STATION]: 'HALL3\\station', [MALLORY]: 'HALL3\\mallory' }

let base: string
let file: string
/** The rights of files and folders, by their path relative to `base`. */
let rights: Record<string, WindowsRights>

const closed: WindowsRights = {
  owner: SYSTEM,
  allowed: [
    { sid: ADMINISTRATORS, mask: FULL },
    { sid: SYSTEM, mask: FULL },
    // Windows lets the account of a task read the task.
    { sid: STATION, mask: READ },
  ],
}
const options: WindowsOptions = {
  environment: { SystemRoot: 'C:\\Windows' },
  rightsOf: (place) => rights[path.relative(base, place)] ?? closed,
  nameOf: (sid) => names[sid] ?? sid,
  accountSid: (name) => Object.entries(names).find(([, known]) => known === name)?.[0] ?? null,
  run: () => ({ code: 0, out: '', err: '' }),
}
const planFor = (account: string): ServicePlan => ({
  program: ['C:\\Program Files\\Sluice\\Sluice.exe', '--'],
  dataFolder: `${base}/Sluice/data`,
  account,
  group: null,
  keyFile: null,
  runsAsNode: false,
})
const register = (xml: string): void => writeFileSync(file, `\uFEFF${xml}`, 'utf16le')

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-registered-'))
  file = path.join(base, 'task')
  rights = {}
})
afterEach(() => rmSync(base, { recursive: true }))

test.each(['LOCAL SERVICE', 'NETWORK SERVICE', 'HALL3\\station'])(
  'an install over a background service keeps the account of that service: %s',
  (account) => {
    register(scheduledTask(planFor(account)))
    expect(registeredAccount(options, file)).toBe(account)
  },
)

test('finds the name of an account that the task stores as a SID, and ignores the user of a trigger', () => {
  const trigger = '<LogonTrigger><UserId>HALL3\\mallory</UserId></LogonTrigger>'
  register(
    scheduledTask(planFor('HALL3\\station'))
      .replace('HALL3\\station', STATION)
      .replace('<Triggers>', `<Triggers>${trigger}`),
  )
  expect(registeredAccount(options, file)).toBe('HALL3\\station')
})

test('an install over a service accepts the files of the account of that service', needs(posix), () => {
  register(scheduledTask(planFor('HALL3\\station')))
  mkdirSync(`${base}/Sluice/data`, { recursive: true })
  writeFileSync(`${base}/Sluice/data/journal.db`, '')
  rights['Sluice/data/journal.db'] = { ...closed, owner: STATION }
  expect(() => makeDataFolder(planFor('LOCAL SERVICE'), options)).toThrow('belongs to HALL3\\station')
  makeDataFolder(planFor(registeredAccount(options, file) ?? ''), options)
})

test.each<readonly [string, WindowsRights]>([
  ['a user registered it', { ...closed, owner: MALLORY }],
  ['a user may change it', { ...closed, allowed: [{ sid: MALLORY, mask: MODIFY }] }],
  ['everybody may change it', { ...closed, allowed: null }],
])('an install ignores the account of a task if %s', (_, itsRights) => {
  register(scheduledTask(planFor('HALL3\\mallory')))
  expect(registeredAccount(options, file)).toBe('HALL3\\mallory')
  rights.task = itsRights
  expect(registeredAccount(options, file)).toBeNull()
})

test('an install ignores a link in place of the task', needs(posix), () => {
  writeFileSync(path.join(base, 'planted'), `\uFEFF${scheduledTask(planFor('HALL3\\mallory'))}`, 'utf16le')
  symlinkSync(path.join(base, 'planted'), file)
  expect(registeredAccount(options, file)).toBeNull()
})

test('an install keeps no account if there is no service, or if its account is deleted or is SYSTEM', () => {
  expect(registeredAccount(options, file)).toBeNull()
  for (const account of ['HALL3\\gone', SYSTEM]) {
    register(scheduledTask(planFor(account)))
    expect(registeredAccount(options, file)).toBeNull()
  }
})
