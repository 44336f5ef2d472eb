import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const support = (file: string) => JSON.stringify(path.join(root, 'test/support', file))

const FILES = {
  'vitest.config.ts': `
    import { ClosingLines } from ${support('closing-lines.ts')}
    export default { test: { globals: true, reporters: [new ClosingLines()] } }`,
  'mixed.test.ts': `
    import { needs } from ${support('needs.ts')}
    test('passes', () => {})
    test('fails', () => { throw new Error('on purpose') })
    test('lacks something', needs(() => null, () => 'a panel'), () => {})
    describe('lacks more', needs(() => 'root'), () => { test('one', () => {}); test('two', () => {}) })`,
  'hook.test.ts': `
    beforeAll(() => { throw new Error('on purpose') })
    test('never runs', () => {})`,
  'broken.test.ts': `throw new Error('on purpose')`,
}

test('a test run ends with the number of skipped tests per reason, and counts broken hooks and files as failed tests', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sluice-closing-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text)
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  expect(stdout.split('\n').slice(-3)).toEqual([
    'sluice: 3 tests skipped for missing requirements: 2 need root, 1 needs a panel',
    '1 passed, 3 failed, 4 skipped',
    '',
  ])
  expect(status).toBe(1)
})
