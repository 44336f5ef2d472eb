import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { needs, posix } from '../support/needs.ts'

const scripts = path.resolve(import.meta.dirname, '../../scripts')

let folder: string
beforeEach(() => {
  folder = realpathSync.native(mkdtempSync(path.join(os.tmpdir(), 'sluice-commands-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [path.join(scripts, script), ...args], { encoding: 'utf8', cwd: folder })

/** Writes a program for `run-node.mjs` to run. */
const writeProgram = (text: string) => {
  const file = path.join(folder, 'program.ts')
  writeFileSync(file, text)
  return file
}

test.each(['build.mjs', 'check.mjs', 'demo.mjs', 'dev.mjs', 'package.mjs', 'test.mjs'])(
  '%s refuses an unknown flag in one line',
  (script) => {
    const { status, stdout, stderr } = run(script, '--nonsense')
    expect(stderr).toMatch(/^sluice: Unknown option '--nonsense'\. Usage: npm .*\n$/)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  },
)

test('`npm test` refuses an unknown project or file before it does anything', () => {
  const { status, stdout, stderr } = run('test.mjs', 'unit', 'nonsense')
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^sluice: no project or test file matches "nonsense"; projects: unit, .*\n$/)
})

test('`npm test -- FILE -t NAME` runs only the tests that match, explains each skip and prints the counts', () => {
  // PATH contains only the folder of Node, so the tests find no Xvfb.
  const env = { ...process.env, PATH: path.dirname(process.execPath), NO_COLOR: '1', INIT_CWD: scripts }
  const nameFilter = ['-t', 'a display|each of several files']
  const args = ['../test/integration/display.test.ts', 'unit/choose-test-files', ...nameFilter]
  const { status, stdout } = spawnSync(process.execPath, [path.join(scripts, 'test.mjs'), ...args], {
    encoding: 'utf8',
    env,
  })
  expect(stdout).toMatch(/ Test Files {2}2 passed \(2\)\n/)
  expect(stdout).toMatch(
    /\nsluice: 1 test skipped for missing requirements: 1 needs Xvfb\n2 passed, 0 failed, \d{2} skipped\n$/,
  )
  expect(status).toBe(0)
})

test('run-node.mjs refuses a missing program with one sentence', () => {
  const { status, stderr } = run('run-node.mjs', 'nowhere/cli.ts')
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'sluice: nowhere/cli.ts does not exist.\n' })
})

test('run-node.mjs passes arguments and working folder unchanged, adds nothing to stdout and returns the exit code', () => {
  const file = writeProgram(
    'const facts: unknown = [process.argv.slice(2), process.cwd()]; console.log(JSON.stringify(facts)); process.exit(42)',
  )
  const { status, stdout } = run('run-node.mjs', file, '--flag', 'two words', '--')
  expect(JSON.parse(stdout)).toEqual([['--flag', 'two words', '--'], folder])
  expect(status).toBe(42)
})

test('run-node.mjs passes SIGTERM on, so that the program shuts down cleanly', needs(posix), async () => {
  const file = writeProgram(
    "process.on('SIGTERM', () => { console.log('drained'); process.exit(7) }); console.log('up'); setInterval(() => {}, 1000)",
  )
  const child = spawn(process.execPath, [path.join(scripts, 'run-node.mjs'), file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
    if (text.includes('up')) child.kill('SIGTERM')
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ out, code }).toEqual({ out: 'up\ndrained\n', code: 7 })
})

test.each(['check.mjs', 'dev.mjs', 'start.mjs', 'test.mjs', 'run-node.mjs'])(
  '%s without installed packages explains how to install them',
  (script) => {
    cpSync(scripts, path.join(folder, 'scripts'), { recursive: true })
    const { status, stderr } = spawnSync(process.execPath, [path.join(folder, 'scripts', script)], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'sluice: the packages are not installed; run: npm ci\n',
    })
  },
)
