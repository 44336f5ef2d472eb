import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { windowsSystemFile } from '../../../../shared/paths/system-files.ts'

/**
 * Windows searches the current folder for a program or library without a path, and macOS for a library. Other users
 * may write to that folder, so the sources must give full paths.
 */

const ROOT = path.join(import.meta.dirname, '../../../..')

/** Linux libraries may have bare names, because Linux searches for libraries only in system folders. */
const LINUX_LIBRARY = String.raw`lib\w+\.so\.\d+`
/** The start of a full path on Linux, macOS or Windows. */
const FULL_PATH_START = String.raw`\/|[A-Za-z]:\\`

const bareNames: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'starts a program by its bare name',
    pattern: new RegExp(
      String.raw`\b(?:spawn|exec|execFile)(?:Sync)?\(\s*(['"\`])(?!${FULL_PATH_START})[\w.-]+\1|\bprogram: (['"\`])(?!${FULL_PATH_START})[\w.-]+\2`,
      'g',
    ),
  },
  { what: 'starts a shell, which searches for programs itself', pattern: /\bshell: true\b/g },
  {
    what: 'loads a library by its bare name',
    pattern: new RegExp(
      String.raw`\bload\(\s*(['"\`])(?!${FULL_PATH_START}|${LINUX_LIBRARY}\1)[^'"\`]*\1`,
      'g',
    ),
  },
]

const findFaults = (text: string): string[] =>
  bareNames.flatMap(({ what, pattern }) =>
    [...text.matchAll(pattern)].map(([found]) => `${what}: ${found.replace(/\s+/g, ' ')}`),
  )

const sources = ['main', 'shared', 'server', 'sandbox'].flatMap((top) =>
  readdirSync(path.join(ROOT, top), { recursive: true, encoding: 'utf8' })
    .map((file) => `${top}/${file.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts')),
)

test('no source file starts a program or loads a library by its bare name', () => {
  const allFaults = sources.flatMap((name) =>
    findFaults(readFileSync(path.join(ROOT, name), 'utf8')).map((fault) => `${name} ${fault}`),
  )
  expect(allFaults).toEqual([])
})

test('only the listed files start programs or load libraries', () => {
  const users = sources.filter((name) =>
    /from 'node:child_process'|(?:import\(|require\(|\)\()'koffi'/.test(
      readFileSync(path.join(ROOT, name), 'utf8'),
    ),
  )
  expect(users.sort()).toEqual([
    'main/agent/platform/files/read-lease.ts',
    'main/agent/platform/files/rename-if-free.ts',
    'main/agent/platform/files/windows-native.ts',
    'main/agent/platform/hashing/native-library.ts',
    'main/agent/platform/sleep-policy.ts',
    'main/agent/platform/update-task.ts',
    'main/agent/update/install-staged.ts',
    'main/cli/doctor-command.ts',
    'main/cli/service/service-manager.ts',
    'main/cli/update/run-proof.ts',
    'main/endpoint/peer-user.ts',
    'main/endpoint/windows-pipe.ts',
    'main/managed/windows-dpapi.ts',
    'main/managed/windows-policy.ts',
    'main/managed/windows-security.ts',
    'main/memory/trim-malloc.ts',
    'main/shell/system/start-service.ts',
    'main/shell/tray/tray-presence.ts',
    'server/processing/isolated-thread.ts',
    'server/storage/openssl-sha256.ts',
  ])
})

test.each([
  "execFile('powercfg', ['/query'])",
  "execFile(\n      'dbus-send',\n      [])",
  "win32: { program: 'powercfg', args: [] }",
  "spawnSync('taskkill')",
  "koffi.load('kernel32.dll')",
  "const set = load('libSystem.B.dylib').func('int f()')",
  "const kernel = load('kernel32.dll')",
  'spawn(file, args, { shell: true })',
])('detects: %s', (line) => expect(findFaults(line)).not.toEqual([]))

test.each([
  "execFile('/usr/bin/dbus-send', [])",
  'spawn(process.execPath, args)',
  "db.exec('BEGIN EXCLUSIVE')",
  "program: windowsSystemFile('powercfg.exe', process.env),",
  "load('libc.so.6').func('long syscall(long number)')",
])('accepts: %s', (line) => expect(findFaults(line)).toEqual([]))

describe('a program or library of Windows', () => {
  test('is in the system folder of this Windows', () => {
    expect(windowsSystemFile('powercfg.exe', { SystemRoot: 'D:\\WINDOWS' })).toBe(
      'D:\\WINDOWS\\System32\\powercfg.exe',
    )
    expect(windowsSystemFile('ntdll.dll', { SystemRoot: 'C:\\Windows\\' })).toBe(
      'C:\\Windows\\System32\\ntdll.dll',
    )
  })

  test.each([
    undefined,
    '',
    '.',
    'Windows',
    '\\Windows',
    '\\\\server\\share',
    'C:',
    'C:\\a\\..\\b',
    'C:/Windows',
  ])('is on C: if the environment names no valid folder: %s', (SystemRoot) =>
    expect(windowsSystemFile('powercfg.exe', { SystemRoot })).toBe('C:\\Windows\\System32\\powercfg.exe'),
  )
})
