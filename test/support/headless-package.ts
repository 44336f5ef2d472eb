import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { agentProgram } from './programs.ts'

const root = path.join(import.meta.dirname, '../..')
const MAKE_DEB = `
  const { makeDeb } = await import('./scripts/building/make-deb.mjs')
  const { commandTexts } = await import('./scripts/building/linux-package.mjs')
  console.log(await makeDeb({ ...JSON.parse(process.argv[1]), texts: await commandTexts() }))`

/**
 * Electron sets `process.resourcesPath`, the folder that contains the version file. Node does not, so this script sets
 * it.
 */
const HEADLESS = `process.resourcesPath ??= '/opt/Sluice/resources'
await import('./out/main/agent-cli.js')
`

const runsOnElectron = process.versions.electron !== undefined

/** Copies the executable that runs the tests. Electron's executable needs libraries and data files beside it. */
const copyRuntime = (app: string): void => {
  const runtime = path.dirname(process.execPath)
  const needed = runsOnElectron ? readdirSync(runtime).filter((name) => /\.(so|dat|bin)$/.test(name)) : []
  for (const name of needed) cpSync(path.join(runtime, name), path.join(app, name))
  cpSync(process.execPath, path.join(app, 'sluice'))
}

/**
 * A Debian package without a window, for tests only. Its program is the executable that runs the tests: Node, or an
 * Electron that runs as Node. The scripts, paths and commands are those of the real package, so upgrades and power cuts
 * can be tested on machines without an Electron.
 */
export const makeHeadlessDeb = (folder: string, version: string): string => {
  const app = path.join(folder, 'app')
  const resources = path.join(app, 'resources')
  mkdirSync(path.join(resources, 'bin'), { recursive: true })
  copyRuntime(app)
  // The installation script changes the mode of this file, so the file must exist. Only a window uses it.
  writeFileSync(path.join(app, 'chrome-sandbox'), '')
  writeFileSync(path.join(resources, 'version'), `${version}\n`)
  const launcher = path.join(resources, 'bin/sluice')
  const variable = runsOnElectron ? 'ELECTRON_RUN_AS_NODE=1 ' : ''
  writeFileSync(
    launcher,
    `#!/bin/sh\n${variable}exec /opt/Sluice/sluice /opt/Sluice/resources/app/headless.mjs "$@"\n`,
  )
  chmodSync(launcher, 0o755)
  mkdirSync(path.join(resources, 'app'))
  writeFileSync(path.join(resources, 'app/headless.mjs'), HEADLESS)
  cpSync(path.dirname(agentProgram), path.join(resources, 'app/out/main'), { recursive: true })
  for (const name of ['better-sqlite3', 'koffi', '@koromix'])
    cpSync(path.join(root, 'node_modules', name), path.join(resources, 'app/node_modules', name), {
      recursive: true,
    })
  const description = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  writeFileSync(path.join(resources, 'app/package.json'), JSON.stringify({ ...description, version }))
  const options = { app, folder, version, arch: process.arch, isForTests: true }
  const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...env } = process.env
  const args = ['--input-type=module', '--eval', MAKE_DEB, JSON.stringify(options)]
  execFileSync('node', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  rmSync(app, { recursive: true })
  const [deb = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'))
  return path.join(folder, deb)
}
