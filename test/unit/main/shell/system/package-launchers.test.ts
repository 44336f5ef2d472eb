import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandIn, ownArguments, parseCommandLine } from '../../../../../main/shell/system/command-line.ts'
import { LAUNCHER_SWITCHES } from '../../../../../shared/ipc/launcher-switches.ts'
import { needs, posix } from '../../../../support/needs.ts'

const ROOT = path.join(import.meta.dirname, '../../../../..')
const readProjectFile = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-launcher-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Creates an executable that prints the label and its arguments, one per line. */
const createRecordingProgram = (file: string, label = ''): void => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' ${label} "$@"\n`)
  chmodSync(file, 0o755)
}

describe('the launcher of a package', needs(posix), () => {
  const runLauncher = (...args: string[]): string[] => {
    const launcher = path.join(folder, 'resources/bin/sluice')
    createRecordingProgram(path.join(folder, 'sluice'))
    mkdirSync(path.dirname(launcher), { recursive: true })
    copyFileSync(path.join(ROOT, 'assets/bin/sluice'), launcher)
    return execFileSync(launcher, args, { encoding: 'utf8' }).split('\n').slice(0, -1)
  }

  it('adds its own switches before a command, and the packaged program accepts them', () => {
    const args = ['webhook', 'https://hooks.example.com/a b', '--events', 'session.processed']
    const argv = runLauncher(...args)
    expect(argv).toEqual([...LAUNCHER_SWITCHES, ...args])
    expect(commandIn(ownArguments(['sluice', ...argv], null), true)).toEqual(args)
  })

  it('adds no arguments if it opens the window', () => {
    expect(runLauncher('--task', 'open')).toEqual(['--task', 'open'])
  })
})

describe('the arguments of a package on Windows', () => {
  it('contain addresses only after `--`, where Electron ignores them', () => {
    const lines = readProjectFile('assets/bin/sluice.cmd').split('\r\n')
    expect(lines).toContain('@"%~dp0..\\..\\Sluice.exe" -- %*')
    expect(commandIn(['--', 'webhook', 'https://a.example', '--json'], true)).toEqual([
      'webhook',
      'https://a.example',
      '--json',
    ])
    // Without a command, the program opens the window, which accepts no additional switch.
    expect(commandIn(['--'], true)).toBeNull()
    expect(parseCommandLine(['--'], true)).toMatchObject({ task: null, hidden: false })
    expect(() => parseCommandLine(['--', '--inspect'], true)).toThrow('is not accepted')
  })
})

describe('the scripts of the Debian package', needs(posix), () => {
  /** Runs a script with a PATH of programs that only print their calls, and returns these calls. */
  const runScript = (script: string, argument: string): string[] => {
    const names = ['ln', 'chmod', 'rm', 'cp', 'unshare', 'ischroot', 'apparmor_status', 'apparmor_parser']
    for (const name of names) createRecordingProgram(path.join(folder, name), name)
    const file = path.join(folder, 'script')
    writeFileSync(file, script)
    const out = execFileSync('/bin/sh', [file, argument], { encoding: 'utf8', env: { PATH: folder } })
    return out.split('\n').filter((line) => line !== '')
  }

  it('set up Chromium’s sandbox when the package is configured', () => {
    expect(runScript(readProjectFile('assets/deb/postinst'), 'configure').join(' ')).toContain(
      '/opt/Sluice/chrome-sandbox',
    )
  })

  it('change nothing in an upgrade, even if it is aborted', () => {
    // The old package's `postrm` runs after the files of the new version are in place.
    expect(runScript(readProjectFile('assets/deb/postrm'), 'upgrade')).toEqual([])
    expect(runScript(readProjectFile('assets/deb/postinst'), 'abort-upgrade')).toEqual([])
  })
})
