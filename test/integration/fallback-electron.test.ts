import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runProgram } from '../../scripts/launcher/run-program.mjs'
import { requireWindowFor, runApp } from '../../scripts/window/open-app.mjs'
import { LauncherFolder } from '../support/launcher-folder.ts'
import { needs, posix } from '../support/needs.ts'

let launcher: LauncherFolder
beforeEach(() => {
  launcher = new LauncherFolder()
})
afterEach(() => launcher.close())

/**
 * Makes a station with this service address, and a fake Electron that only writes `SLUICE_FALLBACK_ELECTRON` and its
 * arguments to a file.
 */
const prepare = (address: string) => {
  const argumentsFile = path.join(launcher.folder, 'seen')
  const script = `#!/bin/sh\nprintf '%s\\n' "$SLUICE_FALLBACK_ELECTRON" "$@" > '${argumentsFile}'\n`
  const { pin, fetchTarball } = launcher.makePackage('bin/electron', script)
  const data = path.join(launcher.folder, 'sluice')
  mkdirSync(data)
  const settings = path.join(data, 'settings.json')
  writeFileSync(settings, JSON.stringify({ service: { base_url: address } }))
  const search = {
    env: { ...launcher.env, DISPLAY: ':0', XDG_CONFIG_HOME: launcher.folder },
    root: launcher.createTree(),
    machine: 'linux-x64',
    pinnedElectron: { 'linux-x64': pin },
    pinnedNode: {},
    fetchTarball,
  }
  const seen = () => {
    const [fallbackMode, , ...passed] = readFileSync(argumentsFile, 'utf8').trimEnd().split('\n')
    return { fallbackMode, passed: passed.filter((argument) => argument !== '--no-sandbox') }
  }
  return { search, data, settings, seen, hasStarted: () => existsSync(argumentsFile) }
}

describe('the app on the fallback Electron', needs(posix), () => {
  const start = (station: ReturnType<typeof prepare>, ...args: string[]) =>
    runApp(['--data', station.data, ...args], station.search)

  test('does not start for a service outside this PC, and explains how to override the refusal', async () => {
    const station = prepare('https://api.example.com')
    await expect(start(station)).rejects.toThrow(
      /^the fallback Electron is for development and tests, but the settings name https:\/\/api\.example\.com; .*npm start -- --allow-fallback-electron$/,
    )
    expect(station.hasStarted()).toBe(false)
  })

  test('starts for a service on this PC, and reports the fallback Electron to the app', async () => {
    const station = prepare('http://127.0.0.1:4000')
    expect(await start(station)).toBe(0)
    expect(station.seen()).toEqual({ fallbackMode: '1', passed: ['--data', station.data] })
  })

  test('starts for any service if the user allows it, and reports the permission to the app', async () => {
    const station = prepare('https://api.example.com')
    expect(await start(station, '--allow-fallback-electron')).toBe(0)
    expect(station.seen()).toEqual({ fallbackMode: 'allowed', passed: ['--data', station.data] })
  })
})

describe('on the fallback Electron', needs(posix), () => {
  const REFUSAL =
    /^the fallback Electron is for development and tests, but the settings name https:\/\/api\.example\.com; /

  const agent = (args: readonly string[], search: Parameters<typeof runProgram>[3]) =>
    runProgram('main/cli/cli.ts', args, launcher.folder, search)

  test.each([[['--settings', 'sluice/settings.json']], [['--settings=sluice/settings.json']]])(
    'the headless command does not start for a service outside this PC: %j',
    async (settingsFlags) => {
      const { search, hasStarted } = prepare('https://api.example.com')
      const run = agent(['run', ...settingsFlags, '--data', 'd'], search)
      await expect(run).rejects.toThrow(REFUSAL)
      await expect(run).rejects.toThrow(/npm run sluice -- --allow-fallback-electron$/)
      expect(hasStarted()).toBe(false)
    },
  )

  test('the headless command starts for a service on this PC, or for a different one if the user allowed it', async () => {
    const prepared = prepare('http://127.0.0.1:4000')
    expect(await agent(['run', '--settings', prepared.settings], prepared.search)).toBe(0)
    expect(prepared.seen().passed).toEqual(['run', '--settings', prepared.settings])
    writeFileSync(prepared.settings, JSON.stringify({ service: { base_url: 'https://api.example.com' } }))
    const allowed = ['run', '--allow-fallback-electron', '--settings', prepared.settings]
    expect(await agent(allowed, prepared.search)).toBe(0)
    expect(prepared.seen().passed).toEqual(['run', '--settings', prepared.settings])
  })

  test('the app under development does not start for a service outside this PC, unless the user allowed it', async () => {
    const { search } = prepare('https://api.example.com')
    const options = { commandStart: 'npm run dev --', cwd: launcher.folder, search }
    const attempt = requireWindowFor([], options)
    await expect(attempt).rejects.toThrow(REFUSAL)
    await expect(attempt).rejects.toThrow(/npm run dev -- --allow-fallback-electron$/)
    const window = await requireWindowFor(['--allow-fallback-electron'], options)
    expect(window.env.SLUICE_FALLBACK_ELECTRON).toBe('allowed')
    expect(window.args).not.toContain('--allow-fallback-electron')
  })
})
