import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { needs, program } from '../support/needs.ts'

/** These tests check the content of the installers for Windows. `test/windows` runs the installers. */

/** Administrators and SYSTEM may write to `%ProgramData%\Sluice`. Users may only read there. */
const ACCESS = [
  '/L /setowner *S-1-5-32-544',
  '/L /reset',
  '/L /inheritance:r /grant:r "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-545:(OI)(CI)RX"',
]

const filesBelow = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [
        path.relative(folder, file).replaceAll('\\', '/'),
        createHash('sha256').update(readFileSync(file)).digest('hex'),
      ]),
  )

export const testWindowsPackages = (dist: () => string, find: (ending: string) => string): void => {
  describe('the .msi', needs(program('wixl'), program('msibuild'), program('msiinfo')), () => {
    const rows = (table: string) =>
      execFileSync('msiinfo', ['export', find('.msi'), table], { encoding: 'utf8' })
        .split(/\r?\n/)
        .slice(3)
        .filter((line) => line !== '')
        .map((line) => line.split('\t'))
    const properties = () => Object.fromEntries(rows('Property').map(([name, value]) => [name, value]))
    const sequence = () =>
      new Map(rows('InstallExecuteSequence').map(([name = '', when, at]) => [name, { when, at: Number(at) }]))

    test('has the files of the app, unchanged', () => {
      const unpacked = mkdtempSync(path.join(tmpdir(), 'sluice-msi-'))
      try {
        execFileSync('msiextract', ['--directory', unpacked, find('.msi')], { stdio: 'pipe' })
        const [folder = ''] = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).filter((name) =>
          name.endsWith('Sluice.exe'),
        )
        expect(filesBelow(path.dirname(path.join(unpacked, folder)))).toEqual(
          filesBelow(path.join(dist(), 'win-unpacked')),
        )
      } finally {
        rmSync(unpacked, { recursive: true, force: true })
      }
    })

    test('is for all users, shows that it is for tests only, and passes its options to the elevated part', () => {
      expect(properties()).toMatchObject({
        ALLUSERS: '1',
        ProductName: 'Sluice (for tests only)',
        SecureCustomProperties: 'EARLIERVERSION;SERVICE;STARTATLOGIN;SETTINGS',
        ARPURLINFOABOUT: 'https://github.com/lab/sluice',
      })
      const summary = execFileSync('msiinfo', ['suminfo', find('.msi')], { encoding: 'utf8' })
      expect(summary).toContain('Template: x64;1033')
      expect(summary).toMatch(/^Subject: .*-fortests$/m)
    })

    test('replaces any installed version, which returns if the installation fails', () => {
      const [[code, lowest, highest, , attributes, , property] = []] = rows('Upgrade')
      expect([code, lowest, highest, property]).toEqual([
        properties().UpgradeCode,
        '0.0.0',
        '',
        'EARLIERVERSION',
      ])
      // 256 is VersionMinInclusive alone. With 2 (OnlyDetect), the installer would detect an installed version, but not
      // replace it.
      expect(attributes).toBe('256')
      const at = (name: string) => sequence().get(name)?.at ?? Number.NaN
      expect(at('RemoveExistingProducts')).toBe(at('InstallInitialize') + 1)
    })

    test('creates the folder of the managed settings with its access list', () => {
      expect(rows('CreateFolder')).toContainEqual(['MACHINEFOLDER', 'MachineFolder'])
      const actions = rows('CustomAction').filter(([, , source]) => source === 'ICACLS_EXE')
      expect(actions.filter(([id]) => !id?.startsWith('Find_')).map(([, , , target]) => target)).toEqual(
        ACCESS.map((access) => `"[CommonAppDataFolder]Sluice" ${access}`),
      )
    })

    test('runs each action as SYSTEM inside the transaction, in the right order', () => {
      const IN_SCRIPT_AS_SYSTEM = 0xc00
      const order = sequence()
      const at = (name: string) => order.get(name)?.at ?? Number.NaN
      const actions = rows('CustomAction').filter(([id]) => !id?.startsWith('Find_'))
      for (const [id = '', type] of actions) {
        expect(Number(type) & IN_SCRIPT_AS_SYSTEM, id).toBe(IN_SCRIPT_AS_SYSTEM)
        expect(at(id), id).toBeGreaterThan(at('RemoveExistingProducts'))
        expect(at(id), id).toBeLessThan(at('InstallFinalize'))
      }
      for (const id of ['EndTask', 'EndPrograms', 'DeleteTask'])
        expect(at(id), id).toBeLessThan(at('RemoveFiles'))
      for (const id of ['FolderOwner', 'CopySettings', 'PlaceSettings', 'InstallService', 'RunTask'])
        expect(at(id), id).toBeGreaterThan(at('InstallFiles'))
      expect(at('CopySettings')).toBeGreaterThan(at('FolderGrant'))
      expect(at('PlaceSettings')).toBeGreaterThan(at('CopySettings'))
      expect(at('InstallService')).toBeGreaterThan(at('PlaceSettings'))
    })

    test('has the options for the background service, the start at login and the settings', () => {
      const action = (id: string) => {
        const [, , source, target] = rows('CustomAction').find(([name]) => name === id) ?? []
        return { source, target, when: sequence().get(id)?.when }
      }
      expect(action('InstallService')).toMatchObject({
        target: '-- service install',
        when: 'SERVICE=1 AND NOT REMOVE~="ALL"',
      })
      expect(action('StartAtLogin').when).toBe('STARTATLOGIN=1 AND NOT REMOVE~="ALL"')
      expect(action('StartAtLogin').target).toContain('"\\"[INSTALLDIR]Sluice.exe\\" --hidden"')
      expect(action('CopySettings').when).toBe('SETTINGS AND NOT REMOVE~="ALL"')
      // An update keeps the task of the background service.
      expect(action('DeleteTask').when).toBe('REMOVE~="ALL" AND NOT UPGRADINGPRODUCTCODE')
    })
  })

  describe('the NSIS installer', needs(program('makensis'), program('7z')), () => {
    let listed: readonly string[]
    beforeAll(() => {
      const list = execFileSync('7z', ['l', '-slt', find('.exe')], { encoding: 'utf8', maxBuffer: 1e8 })
      listed = [...list.matchAll(/^Path = (.*)$/gm)]
        .map(([, name = '']) => name.replaceAll('\\', '/'))
        .slice(1)
    })

    test('has the files of the app, unchanged', () => {
      const unpacked = mkdtempSync(path.join(tmpdir(), 'sluice-nsis-'))
      try {
        execFileSync('7z', ['x', '-y', `-o${unpacked}`, find('.exe')], { stdio: 'pipe' })
        const inside = filesBelow(unpacked)
        // These files are part of NSIS, not of the app.
        for (const name of inside.keys())
          if (/^\$PLUGINSDIR\/|^uninstall\.exe/.test(name)) inside.delete(name)
        expect(inside).toEqual(filesBelow(path.join(dist(), 'win-unpacked')))
      } finally {
        rmSync(unpacked, { recursive: true, force: true })
      }
    })

    test('has an uninstaller, and only the plugins that it uses', () => {
      expect(listed).toContain('uninstall.exe')
      expect(listed.filter((name) => name.startsWith('$PLUGINSDIR')).toSorted()).toEqual([
        '$PLUGINSDIR/System.dll',
        '$PLUGINSDIR/nsExec.dll',
      ])
    })

    test('is a program for 64-bit Windows that needs administrator rights and shows that it is for tests only', () => {
      const bytes = readFileSync(find('.exe'))
      expect(bytes.readUInt16LE(bytes.readUInt32LE(0x3c) + 4)).toBe(0x8664)
      expect(bytes.includes('level="requireAdministrator"')).toBe(true)
      expect(bytes.includes(Buffer.from('Sluice (for tests only)', 'utf16le'))).toBe(true)
    })
  })

  test('the script of the NSIS installer uses the access list that the build gives to both installers', () => {
    const script = readFileSync(path.join(import.meta.dirname, '../../assets/windows/installer.nsi'), 'utf8')
    for (const name of ['OWNER', 'RESET', 'GRANT'])
      expect(script).toContain(`"$SYSDIR\\icacls.exe" "$APPDATA\\Sluice" \${ACCESS_${name}}`)
  })
}
