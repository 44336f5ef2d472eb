import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDisplay } from '../../scripts/window/display.mjs'
import { electronsNode, linux, needs, program } from '../support/needs.ts'
import { familyOf, fusesOf, listeningAddresses, PackagedApp } from '../support/packaged-app.ts'
import { until } from '../support/station.ts'

describe('a packaged app', needs(linux, electronsNode, program('Xvfb')), () => {
  let packagedApp: PackagedApp
  let display: Awaited<ReturnType<typeof openDisplay>>
  beforeAll(async () => {
    display = await openDisplay(process.env)
    packagedApp = await PackagedApp.make()
  })
  afterAll(async () => {
    await packagedApp?.close()
    display.stop()
  })

  /** Injected code would create this file. */
  const markFile = () => path.join(packagedApp.home, 'mark')
  const injectedCode = () => `require('node:fs').writeFileSync(${JSON.stringify(markFile())}, '')`
  const writeInjectedScript = () => {
    const file = path.join(packagedApp.folder, 'mark.cjs')
    writeFileSync(file, injectedCode())
    return file
  }

  it('has its fuses set: no Node mode, no Node options, no debugger, only its own archive', () => {
    expect(fusesOf(packagedApp.executable)).toMatchObject({
      runAsNode: false,
      nodeOptions: false,
      nodeCliInspect: false,
      asarIntegrity: true,
      onlyAsar: true,
      fileProtocolPrivileges: false,
    })
  })

  it.each([
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
    '--inspect=0',
    '--inspect-brk=0',
    '--js-flags=--expose-gc',
    '--no-sandbox',
    '--user-data-dir=/tmp',
    '--password-store=basic',
    '--use-mock-keychain',
    '--disable-web-security',
  ])('exits at once when it is started with %s, and opens no debugging port', async (argument) => {
    const { code, output } = await packagedApp.run([argument], display.env)
    expect(output).toContain(`sluice: ${argument.split('=')[0]} is not accepted by the installed Sluice.`)
    expect(output).not.toMatch(/listening on/i)
    expect(code).toBe(1)
  })

  it.each(['--load-extension=/tmp', '--ignore-certificate-errors', '-remote-debugging-port=0'])(
    'refuses the unknown option %s',
    async (argument) => {
      const { code, output } = await packagedApp.run([argument], display.env)
      expect(output).toContain('Run with --help to see the options.')
      expect(output).not.toMatch(/listening on/i)
      expect(code).toBe(1)
    },
  )

  it('does not run as Node, whatever ELECTRON_RUN_AS_NODE says', async () => {
    const env = { ...display.env, ELECTRON_RUN_AS_NODE: '1' }
    const { code, output } = await packagedApp.run(['-e', injectedCode()], env)
    expect(output).toContain("Unknown option '-e'")
    expect(code).toBe(1)
    expect(existsSync(markFile())).toBe(false)
  })

  it('loads no module that NODE_OPTIONS names', async () => {
    const env = { ...display.env, NODE_OPTIONS: `--require=${writeInjectedScript()}` }
    const { code, output } = await packagedApp.run(['--help'], env)
    expect(output).toContain('Usage: sluice')
    expect(code).toBe(0)
    expect(existsSync(markFile())).toBe(false)
  })

  it('runs from its archive, and from no folder beside it', async () => {
    const besideArchive = path.join(packagedApp.folder, 'resources/app')
    mkdirSync(besideArchive)
    writeFileSync(path.join(besideArchive, 'package.json'), '{ "name": "other", "main": "main.cjs" }')
    writeFileSync(path.join(besideArchive, 'main.cjs'), `${injectedCode()}\nprocess.exit(0)`)
    try {
      const { output } = await packagedApp.run(['--help'], display.env)
      expect(output).toContain('Usage: sluice')
      expect(existsSync(markFile())).toBe(false)
    } finally {
      rmSync(besideArchive, { recursive: true })
    }
  })

  it('runs its page in Chromium’s sandbox, keeps its files private and opens no port, even if NODE_OPTIONS requests a debugger', async () => {
    const data = path.join(packagedApp.home, 'data')
    const { pid = 0 } = packagedApp.start(['--data', data], {
      ...display.env,
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
    })
    await until('the agent has its journal', () => existsSync(path.join(data, 'journal.db')))
    const page = await until('there is a page', () =>
      familyOf(pid).find((familyPid) =>
        readFileSync(`/proc/${familyPid}/cmdline`, 'utf8').includes('--type=renderer'),
      ),
    )
    await until('the system calls of the page are filtered', () =>
      /^Seccomp:\s+2$/m.test(readFileSync(`/proc/${page}/status`, 'utf8')),
    )
    expect(listeningAddresses(familyOf(pid))).toEqual([])
    for (const name of ['.', 'logs', 'journal.db'])
      expect(statSync(path.join(data, name)).mode & 0o077, name).toBe(0)
  })
})
