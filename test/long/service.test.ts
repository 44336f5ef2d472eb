import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { OwnSystem, ownSystem } from '../support/own-system.ts'
import { agentProgram } from '../support/programs.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { until } from '../support/station.ts'

const KEY_STAYS =
  'The key file /etc/sluice/key stays. If no program needs it any more, remove it: rm /etc/sluice/key'

describe('a service of systemd', needs(ownSystem), () => {
  let system: OwnSystem
  let sandbox: SandboxProcess
  let sandboxFolder: string

  /** The path of a copy of the runtime. The original may be in a home folder that the service's account cannot read. */
  const runtime = () => path.join('/opt/sluice/runtime', path.basename(process.execPath))
  const sluice = (...args: string[]) =>
    system.run(runtime(), path.join('/opt/sluice/out/main', path.basename(agentProgram)), ...args)
  /** Parses only the first line, because a failing command prints a sentence after the JSON. */
  const station = () =>
    JSON.parse(sluice('status', '--json', '--data', '/var/lib/sluice').split('\n')[0] ?? '')
  const record = (name: string, bytes: number) => {
    const file = path.join(system.root, 'data/recordings', name)
    writeFileSync(file, randomBytes(bytes))
    chmodSync(file, 0o644)
  }
  /** Before the agent has created its journal, the status has no list of recordings. */
  const areAllSafe = (count: number) => () =>
    station().recordings?.filter(({ state }: { readonly state: string }) => state === 'processed').length ===
    count

  beforeAll(async () => {
    sandboxFolder = mkdtempSync(path.join(tmpdir(), 'sluice-service-'))
    sandbox = await SandboxProcess.start(sandboxFolder)
    system = new OwnSystem()
    const opt = path.join(system.root, 'opt/sluice')
    cpSync(path.dirname(process.execPath), path.join(opt, 'runtime'), { recursive: true })
    cpSync(path.dirname(path.dirname(agentProgram)), path.join(opt, 'out'), { recursive: true })
    for (const name of ['better-sqlite3', 'koffi', '@koromix'])
      cpSync(
        path.join(import.meta.dirname, '../../node_modules', name),
        path.join(opt, 'node_modules', name),
        {
          recursive: true,
          force: true,
        },
      )
    cpSync(path.join(import.meta.dirname, '../../package.json'), path.join(opt, 'package.json'))
    execFileSync('chmod', ['-R', 'a+rX', opt])
    const settings = {
      service: { base_url: sandbox.baseUrl },
      folders: [{ path: '/data/recordings', site: 'hall', settle_seconds: 1, part_size_bytes: 8_388_608 }],
      transfer: { limit_mbit_per_s: 60 },
      follow: { poll_seconds: 1 },
    }
    writeFileSync(path.join(system.root, 'etc/sluice/settings.json'), JSON.stringify(settings))
    chmodSync(path.join(system.root, 'etc/sluice/settings.json'), 0o644)
    writeFileSync(path.join(system.root, 'etc/sluice/key'), sandbox.keys.write)
    chmodSync(path.join(system.root, 'etc/sluice/key'), 0o600)
    await system.boot()
  })
  afterAll(async () => {
    await system.close()
    await sandbox.stop()
    rmSync(sandboxFolder, { recursive: true, force: true })
  })

  test('is installed with its own account, and uploads with a key that only root can read', async () => {
    record('first.bin', 100_000)
    expect(sluice('service', 'install')).toContain('The background service is installed and started.')
    await until('the first recording is safe', areAllSafe(1))
    const { agent } = station()
    expect(agent).toMatchObject({ account: 'sluice', host: 'service' })
    expect(sluice('service', 'status')).toContain('starts at boot, and runs')
  })

  test('continues after a power cut in the middle of an upload, with no user signed in', async () => {
    record('long.bin', 64 * 1024 * 1024)
    await until('the recording is uploading', () =>
      station().recordings.some(
        ({ state, bytes_sent }: { readonly state: string; readonly bytes_sent: number }) =>
          state === 'uploading' && bytes_sent > 0,
      ),
    )
    await system.cutPower()
    await system.boot()
    await until('both recordings are safe', areAllSafe(2))
  })

  test('leaves data, settings and account in place when it is removed', () => {
    expect(sluice('service', 'stop')).toContain('The background service is stopped.')
    expect(sluice('service', 'status')).toContain('does not run')
    expect(sluice('service', 'uninstall')).toBe(
      `The background service is removed. Its data stays.\n${KEY_STAYS}\n`,
    )
    expect(system.run('systemctl', 'cat', 'sluice')).toContain('No files found')
    expect(station()).toMatchObject({ agent: null, recordings: [{}, {}] })
  })

  test('is removed by “uninstall --to”, which reports the station’s new folder each time', () => {
    const folder = '/root/station'
    mkdirSync(path.join(system.root, folder))
    const uninstall = (...flags: string[]) => sluice('service', 'uninstall', '--to', folder, ...flags)
    expect(sluice('service', 'install')).toContain('The background service is installed and started.')
    const moved = `The station is now in ${folder}.\n${KEY_STAYS}\n`
    expect(uninstall()).toBe(`The background service is removed. ${moved}`)
    expect(uninstall()).toBe(`There is no background service. ${moved}`)
    const key_file = '/etc/sluice/key'
    expect(JSON.parse(uninstall('--json'))).toEqual({ removed: false, moved_to: folder, key_file })
    // The command never deletes the key file, so the test deletes it.
    rmSync(path.join(system.root, key_file))
    expect(uninstall()).toBe(`There is no background service. The station is now in ${folder}.\n`)
    expect(JSON.parse(uninstall('--json'))).toMatchObject({ key_file: null })
  })
})
