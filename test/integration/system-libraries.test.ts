import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ensureLibraries, installForTests, type System } from '../../scripts/runtime/system-libraries.mjs'

let printedLines: string[]

beforeEach(() => {
  printedLines = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printedLines.push(String(text))
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('the check of system libraries', () => {
  const ALL =
    'libgtk-3.so.0 libnss3.so libasound.so.2 libgbm.so.1 libXss.so.1 libatk-bridge-2.0.so.0 libdrm.so.2 ' +
    'libnotify.so.4 libsecret-1.so.0 libcups.so.2 libxkbcommon.so.0'
  const listing = (names: string) =>
    names
      .split(' ')
      .map((name) => `\t${name} (libc6) => /usr/lib/${name}`)
      .join('\n')

  const createSystem = (changes: Partial<System>) => {
    const commands: string[] = []
    const system: System = {
      platform: 'linux',
      isRoot: false,
      listLibraries: async () => listing(ALL),
      hasProgram: () => true,
      run: async (program, args) => {
        commands.push([program, ...args].join(' '))
        return { code: program === 'apt-cache' ? 100 : 0, output: '' }
      },
      ...changes,
    }
    return { system, commands }
  }

  test('prints and runs nothing if everything is installed', async () => {
    const { system, commands } = createSystem({})
    await ensureLibraries({ needsWindow: true, env: {}, system })
    expect([...printedLines, ...commands]).toEqual([])
  })

  test('prints the one command to type if a library is missing and the user is not root', async () => {
    const { system, commands } = createSystem({
      listLibraries: async () => listing(ALL.replace('libgtk-3.so.0 ', '')),
    })
    await expect(ensureLibraries({ needsWindow: false, env: {}, system })).rejects.toThrow(
      'Electron needs missing system packages; run: ' +
        'sudo apt-get update && sudo apt-get install --no-install-recommends -y libgtk-3-0',
    )
    expect(commands.filter((line) => line.startsWith('apt-get'))).toEqual([])
  })

  test('prints the one command to type if display and Xvfb are missing and the user is not root', async () => {
    const { system } = createSystem({ hasProgram: (program) => program !== 'Xvfb' })
    await expect(ensureLibraries({ needsWindow: true, env: {}, system })).rejects.toThrow(/-y xvfb$/)
    await ensureLibraries({ needsWindow: true, env: { DISPLAY: ':0' }, system })
    await ensureLibraries({ needsWindow: false, env: {}, system })
  })

  test('does not count a library of a different architecture as installed', async () => {
    const foreignListing = `${listing(ALL).replace(/.*libnss3.so.*\n/, '')}\n\tlibnss3.so (libc6) => /lib/riscv64-linux-gnu/libnss3.so`
    const { system } = createSystem({ listLibraries: async () => foreignListing })
    await expect(ensureLibraries({ needsWindow: false, env: {}, system })).rejects.toThrow(/-y libnss3$/)
  })

  test('as root with apt, installs missing libraries and prints only one line', async () => {
    const { system, commands } = createSystem({
      isRoot: true,
      listLibraries: async () => listing('libnss3.so'),
    })
    await ensureLibraries({ needsWindow: true, env: {}, system })
    expect(printedLines).toHaveLength(1)
    const [update, ...rest] = commands
    expect(update).toBe('apt-get update')
    expect(rest.at(-1)).toMatch(/^apt-get install --no-install-recommends -y .*libgtk-3-0 libasound2 /)
  })

  test('uses the new names of packages that Debian 13 renamed', async () => {
    const { system } = createSystem({
      listLibraries: async () => listing('libnss3.so'),
      run: async () => ({ code: 0, output: '' }),
    })
    await expect(ensureLibraries({ needsWindow: false, env: {}, system })).rejects.toThrow(
      /libgtk-3-0t64 libasound2t64 libgbm1 /,
    )
  })

  test('shows the output of apt-get and one sentence after a failed install', async () => {
    const { system } = createSystem({
      isRoot: true,
      listLibraries: async () => listing('libnss3.so'),
      run: async (_, args) => ({
        code: args[0] === 'install' ? 100 : 1,
        output: 'E: Unable to locate package\n',
      }),
    })
    await expect(ensureLibraries({ needsWindow: false, env: {}, system })).rejects.toThrow(
      /^apt-get could not install /,
    )
    expect(printedLines).toContain('E: Unable to locate package\n')
  })

  test('names the missing libraries if there is no apt', async () => {
    const { system } = createSystem({
      listLibraries: async () => listing('libnss3.so'),
      hasProgram: () => false,
    })
    await expect(ensureLibraries({ needsWindow: false, env: {}, system })).rejects.toThrow(
      /^Electron needs libgtk-3\.so\.0, .*; install them with this system's package manager\.$/,
    )
  })

  test.each<[string, { isRoot: boolean; offers: boolean; programs: readonly string[] }, string | null]>([
    [
      'root installs the headless shell if apt offers it',
      { isRoot: true, offers: true, programs: [] },
      'chromium-headless-shell',
    ],
    [
      'root installs the headless shell even if Chromium is installed',
      { isRoot: true, offers: true, programs: ['chromium'] },
      'chromium-headless-shell',
    ],
    [
      'root installs Chromium if apt does not offer the headless shell',
      { isRoot: true, offers: false, programs: [] },
      'chromium',
    ],
    [
      'root installs no browser if Chromium is installed and apt does not offer the headless shell',
      { isRoot: true, offers: false, programs: ['chromium'] },
      null,
    ],
    [
      'other users install no browser if Chromium is installed',
      { isRoot: false, offers: true, programs: ['chromium'] },
      null,
    ],
  ])('chooses the browser for page tests: %s', async (_, { isRoot, offers, programs }, expectedPackage) => {
    const commands: string[] = []
    const system: System = {
      platform: 'linux',
      isRoot,
      listLibraries: async () => null,
      hasProgram: (program) => program === 'apt-get' || programs.includes(program),
      run: async (program, args) => {
        commands.push([program, ...args].join(' '))
        return { code: program === 'apt-cache' && !offers ? 100 : 0, output: '' }
      },
    }
    await installForTests([], { needsBrowser: true, env: {}, system })
    const installed = commands.filter((line) => line.startsWith('apt-get install'))
    expect(installed.map((line) => line.split(' ').at(-1))).toEqual(
      expectedPackage === null ? [] : [expectedPackage],
    )
  })

  test('installs the libraries, programs and browser for a test run with one call of `apt-get install`', async () => {
    const { system, commands } = createSystem({
      isRoot: true,
      listLibraries: async () => listing('libnss3.so'),
      hasProgram: (program) => program === 'apt-get',
    })
    const gjs = { name: 'gjs', packageName: 'gjs' }
    await installForTests([gjs], { needsBrowser: true, needsElectron: true, env: {}, system })
    const installs = commands.filter((line) => line.startsWith('apt-get install'))
    expect(installs).toHaveLength(1)
    expect(installs[0]).toMatch(/ libgtk-3-0 .* xvfb dbus gjs chromium/)
  })
})
