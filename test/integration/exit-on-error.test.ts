import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { electronsNode, linux, needs } from '../support/needs.ts'

const EXIT_ON_ERROR = pathToFileURL(path.resolve('main/shell/system/exit-on-error.ts')).href

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-fault-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the code as the packaged app runs a command. The main module never ends by itself. */
const run = async (command: string) => {
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'a', main: 'main.mjs' }))
  writeFileSync(
    path.join(folder, 'main.mjs'),
    `import { exitOnErrors } from ${JSON.stringify(EXIT_ON_ERROR)}\nexitOnErrors()\n${command}\nawait new Promise(() => setInterval(() => {}, 1000))\n`,
  )
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ELECTRON_RUN_AS_NODE: ___, ...env } = process.env
  const child = spawn(process.execPath, ['--no-sandbox', '--no-zygote', '--log-level=3', folder], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = await once(child, 'close')
  return { code, output }
}

test(
  'a command in Electron exits with 1 after an unexpected error, and does not continue',
  needs(electronsNode, linux),
  async () => {
    const thrown = await run(`setTimeout(() => { throw new Error('at a svc_live_0123456789abcdef') })`)
    expect(thrown).toEqual({ code: 1, output: expect.stringMatching(/^Error: at a svc_live_\[removed\]\n/) })
    const rejected = await run(`void Promise.reject(new Error('unhandled'))`)
    expect(rejected).toEqual({ code: 1, output: expect.stringMatching(/^Error: unhandled\n/) })
  },
)

test(
  'a command exits with 1 and prints no error if its standard output is closed',
  needs(electronsNode, linux),
  async () => {
    expect(await run(`setInterval(() => process.stdout.write('a'.repeat(100_000)), 10)`)).toEqual({
      code: 1,
      output: '',
    })
  },
)
