import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { electronsNode, linux, needs } from '../support/needs.ts'
import { fusesOf, PackagedApp } from '../support/packaged-app.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'

/** The environment of a PC in a rack: no display, no desktop session, no variables of Node. */
const bareEnvironment = () => {
  const {
    DISPLAY: _,
    WAYLAND_DISPLAY: __,
    ELECTRON_RUN_AS_NODE: ___,
    NODE_OPTIONS: ____,
    DBUS_SESSION_BUS_ADDRESS: _____,
    ...env
  } = process.env
  return env
}

describe('the packaged program, without a display', needs(linux, electronsNode), () => {
  let packagedApp: PackagedApp
  let sandbox: SandboxProcess
  let station: readonly string[]
  let data: string
  let recordings: string
  beforeAll(async () => {
    packagedApp = await PackagedApp.make()
    const base = path.join(packagedApp.folder, '../station')
    sandbox = await SandboxProcess.start(path.join(base, 'service'))
    data = path.join(base, 'data')
    recordings = path.join(base, 'recordings')
    mkdirSync(recordings, { recursive: true })
    writeFileSync(path.join(recordings, 'take.bin'), Buffer.alloc(9 * 1024 * 1024, 7))
    const settings = path.join(base, 'settings.json')
    const service = { base_url: sandbox.baseUrl, api_key: sandbox.keys.write }
    const folders = [{ path: recordings, site: 'lab', settle_seconds: 0.3 }]
    writeFileSync(settings, JSON.stringify({ service, folders, follow: { poll_seconds: 0.2 } }), {
      mode: 0o600,
    })
    station = ['--settings', settings, '--data', data]
  })
  afterAll(async () => {
    await sandbox?.stop()
    await packagedApp?.close()
  })

  /** Starts the program through its launcher, which works for any user, including root. */
  const start = (...args: string[]) =>
    spawn(path.join(packagedApp.folder, 'resources/bin/sluice'), args, {
      env: bareEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const sluice = async (...args: string[]) => {
    const child = start(...args)
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const [code] = await once(child, 'close')
    return { code, out, err }
  }

  it('accepts commands although its fuses forbid Node mode, and prints only the output of the command', async () => {
    expect(fusesOf(packagedApp.executable)).toMatchObject({ runAsNode: false, onlyAsar: true })
    const { code, out, err } = await sluice('version')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Sluice \d/)
    const mistyped = await sluice('statsu')
    expect(mistyped).toMatchObject({ code: 1, out: '' })
    expect(mistyped.err).toMatch(/^sluice: Unknown command "statsu"\. Did you mean “status”\?.*\n$/)
  })

  it('works without its launcher too, for an ordinary user', async () => {
    const { code, output } = await packagedApp.run(['settings', 'check', '/nowhere.json'], {
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
    })
    expect(code).toBe(1)
    expect(output).toContain('sluice: The settings file /nowhere.json cannot be read.')
    // The start of a window would have created this folder.
    expect(existsSync(path.join(packagedApp.home, '.config/sluice'))).toBe(false)
  })

  it('uploads everything with `run --until-idle`, and exits with 0', async () => {
    const run = await sluice('run', ...station, '--until-idle')
    expect(run).toMatchObject({ code: 0, err: '' })
    expect(run.out).toContain('Safe')
    const status = await sluice('status', '--data', data, '--json')
    expect(JSON.parse(status.out)).toMatchObject({ station: { standings: { safe: 1 } } })
  })

  it('runs `doctor`, which starts the program a second time', async () => {
    const { code, out } = await sluice('doctor', ...station, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out).findings).toContainEqual(
      expect.objectContaining({ subject: 'Service and key', verdict: 'pass' }),
    )
  })

  it('ends `run` cleanly after SIGTERM', async () => {
    writeFileSync(path.join(recordings, 'second.bin'), 'second')
    const child = start('run', ...station, '--json')
    child.stderr.resume()
    // The first output shows that the program runs.
    await once(child.stdout, 'data')
    child.stdout.resume()
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
  })

  it('refuses --no-sandbox, even if --no-zygote follows it', async () => {
    const { code, output } = await packagedApp.run(['--no-sandbox', '--no-zygote'])
    expect(code).toBe(1)
    expect(output).toContain('--no-sandbox is not accepted by the installed Sluice.')
  })
})
