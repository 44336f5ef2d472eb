import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ServicePlan, scheduledTask } from '../../../../../main/cli/service/service-files.ts'
import {
  installTask,
  startTask,
  stopTask,
  taskDetails,
  taskState,
  uninstallTask,
  type WindowsOptions,
} from '../../../../../main/cli/service/windows-task.ts'
import { needs, posix } from '../../../../support/needs.ts'
import { MALLORY, MODIFY } from '../../../../support/security-descriptor.ts'
import {
  ADD_FILES,
  closed,
  DELETE_CHILD,
  SimulatedWindows,
  usersMay,
} from '../../../../support/simulated-windows.ts'

let windows: SimulatedWindows
let base: string
let plan: ServicePlan
let options: WindowsOptions
beforeEach(() => {
  windows = new SimulatedWindows()
  ;({ base, plan, options } = windows)
})
afterEach(() => windows.remove())

describe('the task of a service on Windows', needs(posix), () => {
  test('is registered with a second task for updates, from a file that `schtasks` reads as UTF-16', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    installTask(plan, options)
    expect(windows.ran).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /Create /TN Sluice /XML BASE/Sluice/task.xml /F',
      'C:\\Windows\\System32\\schtasks.exe /Create /TN Sluice Update /XML BASE/Sluice/task.xml /F',
    ])
    expect(windows.registered.startsWith('\uFEFF<?xml version="1.0" encoding="UTF-16"?>')).toBe(true)
    // The second task installs updates as the system. The account of the service may only read and start this task.
    expect(windows.registered).toContain('<UserId>S-1-5-18</UserId>')
    expect(windows.registered).toContain('(A;;FRFX;;;S-1-5-19)')
    expect(windows.registered).toContain('update install --data')
    expect(windows.registered).not.toContain('<BootTrigger>')
    expect(scheduledTask(plan)).toContain('<BootTrigger>')
    windows.answers['/Create'] = { code: 1, err: 'ERROR: Access is denied.\r\n' }
    expect(() => installTask(plan, options)).toThrow('Windows did not register the task. ERROR: Access')
  })

  test('is registered from a new file if a user has planted a file in its place, and the planted file stays unchanged', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    writeFileSync(`${base}/planted`, 'planted')
    linkSync(`${base}/planted`, `${base}/Sluice/task.xml`)
    expect(installTask(plan, options)).toBeNull()
    expect(windows.registered).toContain('update install --data')
    expect(readFileSync(`${base}/planted`, 'utf8')).toBe('planted')
  })

  test.each([
    ['/Programs/Sluice', { ...closed, owner: MALLORY }, 'belongs to'],
    ['/Programs/Sluice', usersMay(MODIFY), 'may change'],
    ['/Programs/Sluice', usersMay(ADD_FILES), 'may change'],
    ['/Programs/Sluice', { ...closed, allowed: null }, 'Everybody may change'],
    ['/Programs/Sluice/Sluice.exe', usersMay(MODIFY), 'may change'],
    ['/Programs/Sluice/resources/app.asar', { ...closed, owner: MALLORY }, 'belongs to'],
    ['/Programs', usersMay(DELETE_CHILD), 'may change'],
  ])('installs no updates if users can change the program: %s', (place, itsRights, words) => {
    mkdirSync(plan.dataFolder, { recursive: true })
    windows.rights[place] = itsRights
    const why = installTask(plan, options)
    expect(why).toContain('The background service cannot install updates')
    expect(why).toContain(words)
    expect(why).toContain(`${base}${place}`)
    expect(windows.ran).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /Create /TN Sluice /XML BASE/Sluice/task.xml /F',
      'C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice Update /F',
    ])
  })

  test('installs updates if users may only add files beside the folder of the program', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    windows.rights['/Programs'] = usersMay(ADD_FILES)
    expect(installTask(plan, options)).toBeNull()
    expect(windows.ran.at(-1)).toContain('/Create /TN Sluice Update')
  })

  test('installs no updates if the service runs under an account of this PC or of a domain', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    installTask({ ...plan, account: 'LAB\\recorder' }, options)
    expect(windows.ran.at(-1)).toBe('C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice Update /F')
  })

  test('starts, restarts and stops', () => {
    windows.answers['/End'] = { code: 1 }
    startTask(options)
    expect(windows.ran).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /End /TN Sluice',
      'C:\\Windows\\System32\\schtasks.exe /Run /TN Sluice',
    ])
    expect(() => stopTask(options)).toThrow('The background service could not be stopped.')
  })

  test('gives `doctor` its account and its last result, whatever the language of Windows', () => {
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
    // The same exit code as an unsigned and as a signed number.
    ['not-registered', 2_147_942_402],
    ['not-registered', -2_147_024_894],
    ['denied', 2_147_942_405],
    ['unknown', 1],
    ['unknown', 124],
  ])('gives `doctor` the reason if it cannot be read: %s (%i)', (failure, code) => {
    const run: WindowsOptions['run'] = () => ({ code, out: '', err: 'FEHLER: kein Zugriff\r\n' })
    expect(taskDetails({ ...options, run })).toEqual({ failure, detail: 'FEHLER: kein Zugriff' })
  })

  test('has the state that Windows reports, and is removed together with the task for updates', () => {
    windows.answers['/Query'] = {
      out: '<BootTrigger><Enabled>false</Enabled></BootTrigger><Settings><Enabled>true</Enabled></Settings>',
    }
    expect(taskState(options)).toEqual({ installed: true, enabled: true })
    windows.ran = []
    expect(uninstallTask(options)).toBe(true)
    expect(windows.ran.slice(-2)).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice /F',
      'C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice Update /F',
    ])
    windows.answers['/Query'] = { out: '<Settings><Enabled>false</Enabled></Settings>' }
    expect(taskState(options)).toEqual({ installed: true, enabled: false })
    windows.answers['/Query'] = { code: 1 }
    expect(taskState(options)).toEqual({ installed: false, enabled: false })
    expect(uninstallTask(options)).toBe(false)
  })
})

test('the installer installs the service only with the option `/service`, and the uninstaller removes both tasks', () => {
  const installer = readFileSync(
    path.join(import.meta.dirname, '../../../../../assets/windows/installer.nsi'),
    'utf8',
  )
  // An update installs over the earlier version without running the uninstaller, so the tasks stay.
  const [install = '', uninstall = ''] = installer.split('Section "Uninstall"')
  expect(install).toMatch(/SectionService\n[^\n]*sluice\.cmd" service install'/)
  expect(install).toMatch(/GetOptions} \$R0 "\/service"[\s\S]*SelectSection \$\{SectionService}/)
  expect(install).not.toContain('/Delete /TN')
  expect(uninstall).toContain('schtasks.exe" /Delete /TN Sluice /F')
  expect(uninstall).toContain('schtasks.exe" /Delete /TN "Sluice Update" /F')
})
