import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../../../scripts/launcher/project.mjs'

const leaveLock = (tree: string) => {
  const lock = path.join(tree, 'node_modules/.sluice-compiling')
  // With a folder in it, the lock cannot be removed.
  mkdirSync(path.join(lock, 'folder'), { recursive: true })
  utimesSync(lock, 0, 0)
}

test.each([
  ['create the lock of the compilation', () => {}],
  ['remove the lock of a killed compilation', leaveLock],
])('runs the source if this account cannot %s', (_, prepare) => {
  const tree = mkdtempSync(path.join(tmpdir(), 'sluice-compiled-'))
  onTestFinished(() => rmSync(tree, { recursive: true }))
  cpSync(path.join(ROOT, 'scripts'), path.join(tree, 'scripts'), { recursive: true })
  prepare(tree)
  const script = `import(process.argv[1]).then(async ({ compiledEntry }) => console.log(await compiledEntry('server/cli.ts')))`
  const compiled = pathToFileURL(path.join(tree, 'scripts/building/compiled.mjs')).href
  const printed = execFileSync(process.execPath, ['-e', script, compiled], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect(printed.trim()).toBe(path.join(tree, 'server/cli.ts'))
})
