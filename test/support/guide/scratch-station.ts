import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mcapFile } from '../../contract/sample-files.ts'
import { agentProgram } from '../programs.ts'
import { SandboxProcess } from '../sandbox-process.ts'
import { statusOf } from '../status-of.ts'

/** The program that the guide's command `sluice` starts. */
const PROGRAM = agentProgram

export type CommandResult = { readonly code: number | null; readonly output: string }

/**
 * Runs the commands of `docs/admin-guide.md`, with temporary folders instead of system folders, and a sandbox as the
 * service.
 */
export class ScratchStation {
  readonly root: string
  readonly #sandbox: SandboxProcess

  private constructor(root: string, sandbox: SandboxProcess) {
    this.root = root
    this.#sandbox = sandbox
  }

  static async open(): Promise<ScratchStation> {
    const root = mkdtempSync(path.join(tmpdir(), 'sluice-guide-'))
    const sandbox = await SandboxProcess.start(path.join(root, 'service'))
    const station = new ScratchStation(root, sandbox)
    for (const folder of ['bin', 'work', 'var']) mkdirSync(path.join(root, folder))
    station.#writeCommand('sluice', `exec '${process.execPath}' '${PROGRAM}' "$@"`)
    writeFileSync(path.join(root, 'work/key.txt'), sandbox.keys.write)
    writeFileSync(path.join(root, 'work/short.mcap'), await mcapFile())
    return station
  }

  get program(): string {
    return path.join(this.root, 'bin/sluice')
  }

  /** Replaces addresses, paths, intervals and the session ID in the guide's text. */
  mapText(text: string): string {
    const session = this.#sessionId()
    return [
      ['https://api.example.com', this.#sandbox.baseUrl],
      ['/opt/Sluice/resources/bin/sluice', this.program],
      ['/etc/sluice', path.join(this.root, 'etc')],
      ['/var/lib/sluice', path.join(this.root, 'var/data')],
      ['/data/recordings', path.join(this.root, 'recordings')],
      // Shortens the defaults: ten seconds for a file to settle, and fifteen seconds between polls.
      ['"settle_seconds": 10 }', '"settle_seconds": 0.3 }'],
      ['"transfer": { "limit', '"follow": { "poll_seconds": 0.2 }, "transfer": { "limit'],
      ['ses_4fT9', session ?? 'ses_4fT9'],
    ].reduce((mapped, [from = '', to = '']) => mapped.replaceAll(from, to), text)
  }

  async run(script: string): Promise<CommandResult> {
    const child = spawn('sh', ['-eu', '-c', this.mapText(script)], {
      cwd: path.join(this.root, 'work'),
      env: { ...process.env, PATH: `${path.join(this.root, 'bin')}${path.delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output }
  }

  /**
   * Gives the files to the account of the background service, as step 5 of the guide does, and adds monitoring to the
   * settings. The user ID need not exist.
   */
  giveToService(user: number): void {
    chmodSync(this.root, 0o755)
    chmodSync(path.join(this.root, 'var'), 0o755)
    const [settings, key] = [path.join(this.root, 'etc/settings.json'), path.join(this.root, 'etc/key')]
    const monitoring = { heartbeat_url: 'http://127.0.0.1:1/ping/7', alert_url: 'http://127.0.0.1:1/hook' }
    writeFileSync(settings, JSON.stringify({ ...JSON.parse(readFileSync(settings, 'utf8')), monitoring }))
    for (const file of [settings, key]) {
      chownSync(file, 0, user)
      chmodSync(file, 0o640)
    }
    const data = path.join(this.root, 'var/data')
    for (const file of ['.', ...readdirSync(data, { recursive: true })].map(String))
      chownSync(path.join(data, file), user, user)
  }

  /** Files of the data folder that do not belong to this user. */
  filesNotOwnedBy(user: number): readonly string[] {
    const data = path.join(this.root, 'var/data')
    return ['.', ...readdirSync(data, { recursive: true })]
      .map(String)
      .filter((file) => lstatSync(path.join(data, file)).uid !== user)
  }

  async close(): Promise<void> {
    await this.#sandbox.stop()
    rmSync(this.root, { recursive: true, force: true })
  }

  #writeCommand(name: string, line: string): void {
    const file = path.join(this.root, 'bin', name)
    writeFileSync(file, `#!/bin/sh\n${line}\n`)
    chmodSync(file, 0o755)
  }

  #sessionId(): string | null {
    try {
      const { recordings } = statusOf(path.join(this.root, 'var/data'))
      return recordings.find(({ session_id }) => session_id !== null)?.session_id ?? null
    } catch {
      return null
    }
  }
}
