import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ServicePlan, scheduledTask } from '../../../../../main/cli/service/service-files.ts'
import type { Outcome } from '../../../../../main/cli/service/service-manager.ts'
import {
  installTask,
  makeDataFolder,
  makeInstallerFolder,
  startTask,
  stopTask,
  taskDetails,
  taskState,
  uninstallTask,
  type WindowsOptions,
} from '../../../../../main/cli/service/windows-task.ts'
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

/** Replaces Windows' programs: the tests check the commands that they get. */

const USERS = 'S-1-5-32-545'
const LOCAL_SERVICE = 'S-1-5-19'
const STATION = 'S-1-5-21-1-2-3-1001'
const ADD_FILES = 0x2
const DELETE_CHILD = 0x40

const closed: WindowsRights = {
  owner: ADMINISTRATORS,
  allowed: [
    { sid: ADMINISTRATORS, mask: FULL },
    { sid: SYSTEM, mask: FULL },
    { sid: USERS, mask: READ },
  ],
}
const ownersOnly = (closed.allowed ?? []).filter(({ sid }) => sid !== USERS)
const usersMay = (mask: number): WindowsRights => ({
  ...closed,
  allowed: [...(closed.allowed ?? []), { sid: USERS, mask }],
})

let base: string
let plan: ServicePlan
let ran: string[]
let answers: Record<string, Partial<Outcome>>
/** By path below the folder of the test. */
let rights: Record<string, WindowsRights>
let registered: string
/** An entry that icacls cannot remove. */
let stuckEntry: string | null

const removeEntry = (place: string, removed: string): void => {
  const found = rights[place] ?? closed
  if (removed !== stuckEntry)
    rights[place] = { ...found, allowed: found.allowed?.filter(({ sid }) => sid !== removed) ?? null }
}

const options: WindowsOptions = {
  environment: { SystemRoot: 'C:\\Windows' },
  rightsOf: (place) => rights[place.replace(base, '')] ?? closed,
  nameOf: (sid) => sid,
  accountSid: (name) => (name === 'HALL3\\station' ? STATION : null),
  run: (program, args) => {
    const line = [program, ...args].join(' ').replaceAll(base, 'BASE')
    ran.push(line)
    const [place = '', , action, sid] = args
    if (action === '/remove') removeEntry(place.replace(base, ''), sid?.slice(1) ?? '')
    if (args[0] === '/Create') registered = readFileSync(args[args.indexOf('/XML') + 1] ?? '', 'utf16le')
    return { code: 0, out: '', err: '', ...answers[args[0] ?? ''] }
  },
}

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'sluice-task-'))
  plan = {
    program: [`${base}/Programs/Sluice/Sluice.exe`, '--'],
    dataFolder: `${base}/Sluice/data`,
    account: 'LOCAL SERVICE',
    group: null,
    keyFile: null,
    runsAsNode: false,
  }
  mkdirSync(`${base}/Programs/Sluice/resources`, { recursive: true })
  writeFileSync(`${base}/Programs/Sluice/Sluice.exe`, '')
  writeFileSync(`${base}/Programs/Sluice/resources/app.asar`, '')
  stuckEntry = null
  ran = []
  answers = {}
  rights = { '/Sluice/data': { owner: ADMINISTRATORS, allowed: ownersOnly } }
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
    expect(ran.at(-1)).toContain(`*${STATION}:(OI)(CI)F`)
  })

  test('keeps the entry of the account that uses it, until a different account has one', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    const used = { owner: ADMINISTRATORS, allowed: [...ownersOnly, { sid: LOCAL_SERVICE, mask: FULL }] }
    rights['/Sluice/data'] = used
    expect(() => makeDataFolder({ ...plan, account: 'HALL3\\staton' }, options)).toThrow(
      'There is no account HALL3\\staton.',
    )
    expect(ran).toEqual([])
    answers[plan.dataFolder] = { code: 5, err: 'Access is denied.\r\n' }
    const change = () => makeDataFolder({ ...plan, account: 'HALL3\\station' }, options)
    expect(change).toThrow('could not be set. Access is denied.')
    expect(rights['/Sluice/data']).toEqual(used)
    answers = {}
    change()
    expect(ran.slice(-2)).toEqual([
      expect.stringContaining(`*${STATION}:(OI)(CI)F`),
      expect.stringContaining(`/remove *${LOCAL_SERVICE}`),
    ])
  })

  test('keeps no entry that a user has added to its access list or to its files before', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    writeFileSync(`${plan.dataFolder}/journal.db`, '')
    const planted = [MALLORY, 'S-1-5-19', MALLORY, USERS].map((sid) => ({ sid, mask: FULL }))
    rights['/Sluice/data'] = { owner: ADMINISTRATORS, allowed: [...ownersOnly, ...planted] }
    makeDataFolder(plan, options)
    expect(ran.slice(-3)).toEqual([
      `C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /remove *${MALLORY}`,
      `C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /remove *${USERS}`,
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice/data/* /L /reset /T',
    ])
    expect(rights['/Sluice/data']?.allowed?.map(({ sid }) => sid)).not.toContain(MALLORY)
  })

  test('is refused if an entry of a user stays in its access list', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    stuckEntry = MALLORY
    rights['/Sluice/data'] = { owner: ADMINISTRATORS, allowed: [...ownersOnly, { sid: MALLORY, mask: READ }] }
    expect(() => makeDataFolder(plan, options)).toThrow(`${MALLORY} may use ${plan.dataFolder}`)
    rights['/Sluice/data'] = { owner: ADMINISTRATORS, allowed: null }
    expect(() => makeDataFolder(plan, options)).toThrow(`Everybody may use ${plan.dataFolder}`)
  })

  test.each(['/settings.json', '/updates', '/updates/feed.json'])(
    'is refused if a user owns %s in it, because an owner can change the access list again',
    (name) => {
      mkdirSync(`${plan.dataFolder}/updates`, { recursive: true })
      writeFileSync(`${plan.dataFolder}/settings.json`, '{}')
      writeFileSync(`${plan.dataFolder}/updates/feed.json`, '{}')
      for (const owner of [SYSTEM, LOCAL_SERVICE, STATION]) {
        rights[`/Sluice/data${name}`] = { ...closed, owner }
        makeDataFolder({ ...plan, account: 'HALL3\\station' }, options)
      }
      for (const owner of [MALLORY, STATION]) {
        ran = []
        rights['/Sluice/data'] = {
          owner: ADMINISTRATORS,
          allowed: [...ownersOnly, { sid: owner, mask: FULL }],
        }
        rights[`/Sluice/data${name}`] = { ...closed, owner }
        expect(() => makeDataFolder(plan, options)).toThrow(
          `${plan.dataFolder}${name} belongs to ${owner}, so the service does not use ${plan.dataFolder}. Remove it.`,
        )
        expect(ran.join()).not.toMatch(/\/remove|\/reset/)
      }
    },
  )

  test('is refused if a user adds a file just before the entry of that user is removed', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    rights['/Sluice/data'] = { owner: ADMINISTRATORS, allowed: [...ownersOnly, { sid: MALLORY, mask: FULL }] }
    rights['/Sluice/data/settings.json'] = { ...closed, owner: MALLORY }
    const run: WindowsOptions['run'] = (program, args) => {
      if (args.includes('/remove')) writeFileSync(`${plan.dataFolder}/settings.json`, '{}')
      return options.run(program, args)
    }
    expect(() => makeDataFolder(plan, { ...options, run })).toThrow(`settings.json belongs to ${MALLORY}`)
  })

  test('is refused if Windows does not show who owns a file in it, unless the file is gone', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    writeFileSync(`${plan.dataFolder}/journal.db`, '')
    let isRemoved = false
    const rightsOf: WindowsOptions['rightsOf'] = (place) => {
      if (!place.endsWith('journal.db')) return options.rightsOf(place)
      if (isRemoved) rmSync(place)
      throw new Error('Windows does not open it')
    }
    const make = () => makeDataFolder(plan, { ...options, rightsOf })
    expect(make).toThrow(`cannot read who owns ${plan.dataFolder}/journal.db (Windows does not open it)`)
    isRemoved = true
    make()
  })

  test('is refused if a user owns it, although administrators own its parent', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    rights['/Sluice/data'] = { owner: MALLORY, allowed: ownersOnly }
    expect(() => makeDataFolder(plan, options)).toThrow('belongs to a user')
  })

  test('is refused if a user created it first, and its rights stay as they are', () => {
    mkdirSync(`${base}/Sluice`)
    rights['/Sluice'] = { ...closed, owner: MALLORY }
    expect(() => makeDataFolder(plan, options)).toThrow('belongs to a user')
    expect(ran).toEqual([])
    expect(existsSync(plan.dataFolder)).toBe(false)
  })

  test('is refused if a user keeps a right to change its parent', () => {
    rights['/Sluice'] = { ...closed, allowed: [{ sid: MALLORY, mask: FULL }] }
    expect(() => makeDataFolder(plan, options)).toThrow(`${MALLORY} may change ${base}/Sluice`)
    expect(existsSync(plan.dataFolder)).toBe(false)
  })

  test('is not used if its access list cannot be set', () => {
    answers[`${base}/Sluice`] = { code: 5, err: 'Access is denied.\r\n' }
    expect(() => makeDataFolder(plan, options)).toThrow('could not be set. Access is denied.')
  })
})

describe('the folder from which the system starts installers', needs(posix), () => {
  const folder = () => `${base}/Sluice/updates`
  beforeEach(() => mkdirSync(`${base}/Sluice`))

  test('admits only administrators and the system', () => {
    for (const _ of ['created', 'there already']) {
      ran = []
      makeInstallerFolder(folder(), options)
      expect(ran).toEqual([
        'C:\\Windows\\System32\\icacls.exe BASE/Sluice/updates /L /setowner *S-1-5-32-544',
        'C:\\Windows\\System32\\icacls.exe BASE/Sluice/updates /L /inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F',
      ])
    }
  })

  test('is refused if a user created it first', () => {
    mkdirSync(folder())
    rights['/Sluice/updates'] = { ...closed, owner: MALLORY }
    expect(() => makeInstallerFolder(folder(), options)).toThrow('belongs to a user')
    expect(ran).toEqual([])
  })

  test('is refused if a user may add files to it, if it is a link, or if a user can replace it', () => {
    rights['/Sluice/updates'] = usersMay(ADD_FILES)
    expect(() => makeInstallerFolder(folder(), options)).toThrow('may change')
    rights = {}
    rmSync(folder(), { recursive: true })
    symlinkSync(base, folder())
    expect(() => makeInstallerFolder(folder(), options)).toThrow('is a link')
    rights['/Sluice'] = usersMay(DELETE_CHILD)
    expect(() => makeInstallerFolder(folder(), options)).toThrow(`may change ${base}/Sluice, so`)
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

  test('is registered from a new file if a user has planted one, and the planted file stays as it is', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    writeFileSync(`${base}/planted`, 'planted')
    linkSync(`${base}/planted`, `${base}/Sluice/task.xml`)
    expect(installTask(plan, options)).toBeNull()
    expect(registered).toContain('update install --data')
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
    rights[place] = itsRights
    const why = installTask(plan, options)
    expect(why).toContain('The service cannot install updates')
    expect(why).toContain(words)
    expect(why).toContain(`${base}${place}`)
    expect(ran).toEqual([
      'C:\\Windows\\System32\\schtasks.exe /Create /TN Sluice /XML BASE/Sluice/task.xml /F',
      'C:\\Windows\\System32\\schtasks.exe /Delete /TN Sluice Update /F',
    ])
  })

  test('installs updates if users may only add files beside the folder of the program', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    rights['/Programs'] = usersMay(ADD_FILES)
    expect(installTask(plan, options)).toBeNull()
    expect(ran.at(-1)).toContain('/Create /TN Sluice Update')
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
