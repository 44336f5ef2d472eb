import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { endWithRunner } from './child-end.ts'
import type { SandboxAnswer, SandboxRequest } from './sandbox-host.ts'

export type SandboxKeys = {
  readonly write: string
  readonly read: string
  readonly revoked: string
  readonly other_org: string
  readonly live: string
}

export type PartCount = { readonly session: string; readonly part: number; readonly received: number }

let host: ChildProcess | null = null
let lastId = 0

/** One process for all sandboxes of this test runner. */
const getHostProcess = (): ChildProcess => {
  if (host !== null) return host
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'sandbox-host.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  endWithRunner(child)
  child.once('exit', () => {
    host = null
  })
  // Each request that waits for an answer adds a listener.
  child.setMaxListeners(0)
  host = child
  return child
}

const request = (message: SandboxRequest): Promise<SandboxAnswer> => {
  const child = getHostProcess()
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the sandboxes ended with exit code ${code}`))
    const listener = (answer: SandboxAnswer) => {
      if (answer.id !== message.id) return
      child.off('message', listener).off('exit', onExit)
      if ('failed' in answer) reject(new Error(answer.failed))
      else resolve(answer)
    }
    child.on('message', listener).once('exit', onExit)
    child.send(message)
  })
}

type Addresses = {
  readonly base_url: string
  readonly upload_url: string
  readonly keys: SandboxKeys
  readonly control_url: string
}

/** A sandbox in a different process, which a test reaches over real HTTP. */
export class SandboxProcess {
  readonly baseUrl: string
  readonly uploadUrl: string
  readonly keys: SandboxKeys
  readonly controlUrl: string
  /** The PID of the process that runs all sandboxes. */
  readonly pid = getHostProcess().pid
  readonly #id: number

  private constructor(id: number, addresses: Addresses) {
    this.#id = id
    this.baseUrl = addresses.base_url
    this.uploadUrl = addresses.upload_url
    this.keys = addresses.keys
    this.controlUrl = addresses.control_url
  }

  static async start(dataFolder: string, flags: readonly string[] = []): Promise<SandboxProcess> {
    return SandboxProcess.startWith(['--data', dataFolder, '--control', '--processing-delay', '50', ...flags])
  }

  /** Starts the sandbox with only these flags, as a user does. */
  static async startWith(flags: readonly string[]): Promise<SandboxProcess> {
    lastId += 1
    const id = lastId
    const answer = await request({ id, flags })
    if (!('addresses' in answer)) throw new Error('the sandbox did not start')
    return new SandboxProcess(id, answer.addresses as Addresses)
  }

  /** Closes the sandbox and cuts its connections, as if its process had ended. The data stays on disk. */
  async stop(): Promise<void> {
    await request({ id: this.#id, flags: null })
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
