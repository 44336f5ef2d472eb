import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { endChild, endWithRunner } from './child-end.ts'
import { sandboxProgram } from './programs.ts'

export type Keys = {
  readonly write: string
  readonly read: string
  readonly revoked: string
  readonly other_org: string
}

export type PartCount = { readonly session: string; readonly part: number; readonly received: number }

/** The real service of the contract, as a process of its own over real HTTP. */
export class SandboxProcess {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly uploadUrl: string
  readonly keys: Keys
  readonly controlUrl: string

  constructor(
    child: ChildProcess,
    line: { base_url: string; upload_url: string; keys: Keys; control_url: string },
  ) {
    this.child = child
    this.baseUrl = line.base_url
    this.uploadUrl = line.upload_url
    this.keys = line.keys
    this.controlUrl = line.control_url
  }

  static async start(dataFolder: string, flags: readonly string[] = []): Promise<SandboxProcess> {
    const child = spawn(
      process.execPath,
      [sandboxProgram, '--data', dataFolder, '--control', '--processing-delay', '50', ...flags],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    endWithRunner(child)
    const lines = createInterface({ input: child.stdout! })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the sandbox did not start: exit code ${code}`)
    })
    const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
    ended.catch(() => {})
    return new SandboxProcess(child, JSON.parse(line))
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await endChild(this.child, signal)
  }

  async control(method: string, route: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.controlUrl + route, {
      method,
      headers: { 'content-type': 'application/json', 'sluice-sandbox-control': '1' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`control ${method} ${route}: ${answer.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }

  async api(route: string, options: RequestInit = {}): Promise<Response> {
    return fetch(this.baseUrl + route, {
      ...options,
      headers: { authorization: `Bearer ${this.keys.write}`, ...options.headers },
    })
  }
}
