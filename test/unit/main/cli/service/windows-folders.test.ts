import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ServicePlan } from '../../../../../main/cli/service/service-files.ts'
import {
  makeDataFolder,
  makeInstallerFolder,
  type WindowsOptions,
} from '../../../../../main/cli/service/windows-task.ts'
import { electronArchive } from '../../../../support/electron-archive.ts'
import { needs, posix } from '../../../../support/needs.ts'
import { ADMINISTRATORS, FULL, MALLORY, READ, SYSTEM } from '../../../../support/security-descriptor.ts'
import {
  ADD_FILES,
  closed,
  DELETE_CHILD,
  ownersOnly,
  SimulatedWindows,
  STATION,
  USERS,
  usersMay,
} from '../../../../support/simulated-windows.ts'

const LOCAL_SERVICE = 'S-1-5-19'

let windows: SimulatedWindows
let base: string
let plan: ServicePlan
let options: WindowsOptions
beforeEach(() => {
  windows = new SimulatedWindows()
  ;({ base, plan, options } = windows)
})
afterEach(() => windows.remove())

describe('the data folder of a service on Windows', needs(posix), () => {
  test('admits only administrators, the system and the account of the service', () => {
    makeDataFolder(plan, options)
    expect(windows.ran).toEqual([
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice /L /setowner *S-1-5-32-544',
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice /L /inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F *S-1-5-32-545:(OI)(CI)RX',
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /setowner *S-1-5-32-544',
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F *S-1-5-19:(OI)(CI)F',
    ])
    windows.ran = []
    makeDataFolder({ ...plan, account: 'HALL3\\station' }, options)
    expect(windows.ran.at(-1)).toContain(`*${STATION}:(OI)(CI)F`)
  })

  test('lets the old account in until the new account has access', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    const used = { owner: ADMINISTRATORS, allowed: [...ownersOnly, { sid: LOCAL_SERVICE, mask: FULL }] }
    windows.rights['/Sluice/data'] = used
    expect(() => makeDataFolder({ ...plan, account: 'HALL3\\staton' }, options)).toThrow(
      'There is no account HALL3\\staton.',
    )
    expect(windows.ran).toEqual([])
    windows.answers[plan.dataFolder] = { code: 5, err: 'Access is denied.\r\n' }
    const change = () => makeDataFolder({ ...plan, account: 'HALL3\\station' }, options)
    expect(change).toThrow('could not be set. Access is denied.')
    expect(windows.rights['/Sluice/data']).toEqual(used)
    windows.answers = {}
    change()
    expect(windows.ran.slice(-2)).toEqual([
      expect.stringContaining(`*${STATION}:(OI)(CI)F`),
      expect.stringContaining(`/remove *${LOCAL_SERVICE}`),
    ])
  })

  test('keeps no entry that a user added earlier to its access list or to its files', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    writeFileSync(`${plan.dataFolder}/journal.db`, '')
    const planted = [MALLORY, 'S-1-5-19', MALLORY, USERS].map((sid) => ({ sid, mask: FULL }))
    windows.rights['/Sluice/data'] = { owner: ADMINISTRATORS, allowed: [...ownersOnly, ...planted] }
    makeDataFolder(plan, options)
    expect(windows.ran.slice(-3)).toEqual([
      `C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /remove *${MALLORY}`,
      `C:\\Windows\\System32\\icacls.exe BASE/Sluice/data /L /remove *${USERS}`,
      'C:\\Windows\\System32\\icacls.exe BASE/Sluice/data/* /L /reset /T',
    ])
    expect(windows.rights['/Sluice/data']?.allowed?.map(({ sid }) => sid)).not.toContain(MALLORY)
  })

  test('is refused if the entry of a user cannot be removed from its access list', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    windows.stuckEntry = MALLORY
    windows.rights['/Sluice/data'] = {
      owner: ADMINISTRATORS,
      allowed: [...ownersOnly, { sid: MALLORY, mask: READ }],
    }
    expect(() => makeDataFolder(plan, options)).toThrow(`${MALLORY} may use ${plan.dataFolder}`)
    windows.rights['/Sluice/data'] = { owner: ADMINISTRATORS, allowed: null }
    expect(() => makeDataFolder(plan, options)).toThrow(`Everybody may use ${plan.dataFolder}`)
  })

  test.each(['/settings.json', '/updates', '/updates/feed.json'])(
    'is refused if a user owns %s in it, because an owner can change the access list again',
    (name) => {
      mkdirSync(`${plan.dataFolder}/updates`, { recursive: true })
      writeFileSync(`${plan.dataFolder}/settings.json`, '{}')
      writeFileSync(`${plan.dataFolder}/updates/feed.json`, '{}')
      for (const owner of [SYSTEM, LOCAL_SERVICE, STATION]) {
        windows.rights[`/Sluice/data${name}`] = { ...closed, owner }
        makeDataFolder({ ...plan, account: 'HALL3\\station' }, options)
      }
      for (const owner of [MALLORY, STATION]) {
        windows.ran = []
        windows.rights['/Sluice/data'] = {
          owner: ADMINISTRATORS,
          allowed: [...ownersOnly, { sid: owner, mask: FULL }],
        }
        windows.rights[`/Sluice/data${name}`] = { ...closed, owner }
        expect(() => makeDataFolder(plan, options)).toThrow(
          `${plan.dataFolder}${name} belongs to ${owner}, so the background service does not use ${plan.dataFolder}. Remove ${plan.dataFolder}${name}.`,
        )
        expect(windows.ran.join()).not.toMatch(/\/remove|\/reset/)
      }
    },
  )

  test('may contain an `.asar` archive, which Electron presents as a folder', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    writeFileSync(`${plan.dataFolder}/archive`, electronArchive())
    renameSync(`${plan.dataFolder}/archive`, `${plan.dataFolder}/archive.asar`)
    const rightsOf: WindowsOptions['rightsOf'] = (place) => {
      if (place.includes('.asar/')) throw new Error('Windows does not open it')
      return options.rightsOf(place)
    }
    makeDataFolder(plan, { ...options, rightsOf })
    expect(windows.ran.join()).toContain('/reset')
  })

  test('is refused if a user adds a file just before losing access', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    windows.rights['/Sluice/data'] = {
      owner: ADMINISTRATORS,
      allowed: [...ownersOnly, { sid: MALLORY, mask: FULL }],
    }
    windows.rights['/Sluice/data/settings.json'] = { ...closed, owner: MALLORY }
    const run: WindowsOptions['run'] = (program, args) => {
      if (args.includes('/remove')) writeFileSync(`${plan.dataFolder}/settings.json`, '{}')
      return options.run(program, args)
    }
    expect(() => makeDataFolder(plan, { ...options, run })).toThrow(`settings.json belongs to ${MALLORY}`)
  })

  test('is refused if the owner of a file in it cannot be read, unless the file is gone', () => {
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

  test('is refused if a user owns it, even if administrators own its parent', () => {
    mkdirSync(plan.dataFolder, { recursive: true })
    windows.rights['/Sluice/data'] = { owner: MALLORY, allowed: ownersOnly }
    expect(() => makeDataFolder(plan, options)).toThrow('belongs to a user')
  })

  test('is refused, before any rights change, if a user created its parent first', () => {
    mkdirSync(`${base}/Sluice`)
    windows.rights['/Sluice'] = { ...closed, owner: MALLORY }
    expect(() => makeDataFolder(plan, options)).toThrow('belongs to a user')
    expect(windows.ran).toEqual([])
    expect(existsSync(plan.dataFolder)).toBe(false)
  })

  test('is refused if a user keeps a right to change its parent', () => {
    windows.rights['/Sluice'] = { ...closed, allowed: [{ sid: MALLORY, mask: FULL }] }
    expect(() => makeDataFolder(plan, options)).toThrow(`${MALLORY} may change ${base}/Sluice`)
    expect(existsSync(plan.dataFolder)).toBe(false)
  })

  test('is not used if the access list of its parent cannot be set', () => {
    windows.answers[`${base}/Sluice`] = { code: 5, err: 'Access is denied.\r\n' }
    expect(() => makeDataFolder(plan, options)).toThrow('could not be set. Access is denied.')
  })
})

describe('the folder from which the system starts installers', needs(posix), () => {
  const folder = () => `${base}/Sluice/updates`
  beforeEach(() => mkdirSync(`${base}/Sluice`))

  test('admits only administrators and the system', () => {
    for (const _ of ['created', 'there already']) {
      windows.ran = []
      makeInstallerFolder(folder(), options)
      expect(windows.ran).toEqual([
        'C:\\Windows\\System32\\icacls.exe BASE/Sluice/updates /L /setowner *S-1-5-32-544',
        'C:\\Windows\\System32\\icacls.exe BASE/Sluice/updates /L /inheritance:r /grant:r *S-1-5-32-544:(OI)(CI)F *S-1-5-18:(OI)(CI)F',
      ])
    }
  })

  test('is refused if a user created it first', () => {
    mkdirSync(folder())
    windows.rights['/Sluice/updates'] = { ...closed, owner: MALLORY }
    expect(() => makeInstallerFolder(folder(), options)).toThrow('belongs to a user')
    expect(windows.ran).toEqual([])
  })

  test('is refused if a user may add files to it, if it is a link, or if a user can replace it', () => {
    windows.rights['/Sluice/updates'] = usersMay(ADD_FILES)
    expect(() => makeInstallerFolder(folder(), options)).toThrow('may change')
    windows.rights = {}
    rmSync(folder(), { recursive: true })
    symlinkSync(base, folder())
    expect(() => makeInstallerFolder(folder(), options)).toThrow('is a link')
    windows.rights['/Sluice'] = usersMay(DELETE_CHILD)
    expect(() => makeInstallerFolder(folder(), options)).toThrow(`may change ${base}/Sluice, so`)
  })
})
