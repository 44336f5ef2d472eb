import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ServicePlan, scheduledTask } from '../../../../../main/cli/service/service-files.ts'
import type { Outcome } from '../../../../../main/cli/service/service-manager.ts'
import {
  installTask,
  makeDataFolder,
  startTask,
  stopTask,
  taskDetails,
  taskState,
  uninstallTask,
  type WindowsOptions,
} from '../../../../../main/cli/service/windows-task.ts'
import { needs, posix } from '../../../../support/needs.ts'

/** Replaces Windows' programs: the tests check the commands that they get. */

const ADMINISTRATORS = 'S-1-5-32-544'

let base: string
let plan: ServicePlan
let ran: string[]
let answers: Record<string, Partial<Outcome>>
let owner: string
let registered: string

const options: WindowsOptions = {
  environment: { SystemRoot: 'C:\\Windows' },
  ownerOf: () => owner,
  run: (program, args) => {
    const line = [program, ...args].join(' ').replaceAll(base, 'BASE')
    ran.push(line)
    if (args[0] === '/Create') registered = readFileSync(args[args.indexOf('/XML') + 1] ?? '', 'utf16le')
    return { code: 0, out: '', err: '', ...answers[args[0] ?? ''] }
  },
}

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-task-'))
  plan = {
    program: ['C:\\Program Files\\Sluice\\Sluice.exe', '--'],
    dataFolder: `${base}/Sluice/data`,
    account: 'LOCAL SERVICE',
    group: null,
    keyFile: null,
    runsAsNode: false,
  }
  ran = []
  answers = {}
  owner = ADMINISTRATORS
  registered = ''
})
afterEach(() => rmSync(base, { recursive: true }))

// Here `/` separates the folders of a plan, so that real folders of this PC can stand for those of Windows.
describe('the data folder of a service on Windows', needs(posix), () => {
  test('admits only administrators, the system and the account of the service', () => {
    makeDataFolder(plan, options)
    expect(ran).toEqual([
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice /L /setowner *S-1-5-32-544',
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice /L /inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F *S-1-5-32-545:(OI)(CI)RX',
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /setowner *S-1-5-32-544',
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F *S-1-5-19:(OI)(CI)F',
    ])
    ran = []
    makeDataFolder({ ...plan, account: 'HALL3\\station' }, options)
    expect(ran.at(-1)).toContain('HALL3\\station:(OI)(CI)F')
  })

  test('is refused if a user created it first, and its rights stay as they are', () => {
    mkdirSync(`${base}/Sluice`)
    owner = 'S-1-5-21-1-2-3-1001'
    expect(() => makeDataFolder(plan, options)).toThrow('belongs to a user')
    expect(ran).toEqual([])
    expect(existsSync(plan.dataFolder)).toBe(false)
  })

  test('is not used if its access list cannot be set', () => {
    answers[`${base}/Sluice`] = { code: 5, err: 'Access is denied.\r\n' }
    expect(() => makeDataFolder(plan, options)).toThrow('could not be set. Access is denied.')
  })
})

describe('the task of a service on Windows', needs(posix), () => {
  test('is registered from a file that schtasks reads as UTF-16, and the file is removed', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    installTask(plan, options)
    expect(ran).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /Create /TN Sluice /XML BASE/Sluice/task.xml /F',
      'C:\\Windows\\System32\\schtasks.exe /Create /TN Sluice Update /XML BASE/Sluice/task.xml /F',
    ])
    expect(registered.startsWith('\uFEFF<?xml version="1.0" encoding="UTF-16"?>')).toBe(true)
    // The second task installs updates as the system. The service may start it, and nothing else.
    expect(registered).toContain('<UserId>S-1-5-18</UserId>')
    expect(registered).toContain('(A;;FRFX;;;S-1-5-19)')
    expect(registered).toContain('update install --data')
    expect(registered).not.toContain('<BootTrigger>')
    expect(scheduledTask(plan)).toContain('<BootTrigger>')
    answers['/Create'] = { code: 1, err: 'ERROR: Access is denied.\r\n' }
    expect(() => installTask(plan, options)).toThrow('Windows did not register the task. ERROR: Access')
  })

  test('installs no updates for an account of your own, whose SID is unknown', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    installTask({ ...plan, account: 'LAB\\recorder' }, options)
    expect(ran.at(-1)).toBe('C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice Update /F')
  })

  test('starts, restarts and stops', () => {
    answers['/End'] = { code: 1 }
    startTask(options)
    expect(ran).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /End /TN Sluice',
      'C:\\Windows\\System32\\schtasks.exe /Run /TN Sluice',
    ])
    expect(() => stopTask(options)).toThrow('The service could not be stopped.')
  })

  test('shows its account and last result to doctor, in every language of Windows', () => {
    const row = '"PC","\\\\Sluice","N/A","Wird ausgeführt","Interaktiv","18.11.2026 02:00:00","267009","N/A"'
    const xml = `${scheduledTask(plan)}`
    const run: WindowsOptions['run'] = (_, args) => ({
      code: 0,
      out: args.includes('/XML') ? xml : `\r\n${row}\r\n`,
      err: '',
    })
    expect(taskDetails({ ...options, run })).toEqual({
      account: 'LOCAL SERVICE',
      isEnabled: true,
      startsAtBoot: true,
      lastRun: '18.11.2026 02:00:00',
      lastResult: '267009',
    })
  })

  test.each([
    // Node reports exit codes of Windows without a sign.
    ['not-registered', 2_147_942_402],
    ['not-registered', -2_147_024_894],
    ['denied', 2_147_942_405],
    ['unknown', 1],
    ['unknown', 124],
  ])('tells doctor why it cannot be read: %s (%i)', (failure, code) => {
    const run: WindowsOptions['run'] = () => ({ code, out: '', err: 'FEHLER: kein Zugriff\r\n' })
    expect(taskDetails({ ...options, run })).toEqual({ failure, detail: 'FEHLER: kein Zugriff' })
  })

  test('is removed once, and its state is read from Windows', () => {
    answers['/Query'] = {
      out: '<BootTrigger><Enabled>false</Enabled></BootTrigger><Settings><Enabled>true</Enabled></Settings>',
    }
    expect(taskState(options)).toEqual({ installed: true, enabled: true })
    ran = []
    expect(uninstallTask(options)).toBe(true)
    expect(ran.slice(-2)).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice /F',
      'C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice Update /F',
    ])
    answers['/Query'] = { out: '<Settings><Enabled>false</Enabled></Settings>' }
    expect(taskState(options)).toEqual({ installed: true, enabled: false })
    answers['/Query'] = { code: 1 }
    expect(taskState(options)).toEqual({ installed: false, enabled: false })
    expect(uninstallTask(options)).toBe(false)
  })
})

test('the installer installs the service with its option, and the uninstaller removes both tasks', () => {
  const installer = readFileSync(
    path.join(import.meta.dirname, '../../../../../assets/windows/installer.nsi'),
    'utf8',
  )
  // An update installs over the earlier version, without its uninstaller.
  const [install = '', uninstall = ''] = installer.split('Section "Uninstall"')
  expect(install).toMatch(/SectionService\n[^\n]*sluice\.cmd" service install'/)
  expect(install).toMatch(/GetOptions} \$R0 "\/service"[\s\S]*SelectSection \$\{SectionService}/)
  expect(install).not.toContain('/Delete /TN')
  expect(uninstall).toContain('schtasks.exe" /Delete /TN Sluice /F')
  expect(uninstall).toContain('schtasks.exe" /Delete /TN "Sluice Update" /F')
})
