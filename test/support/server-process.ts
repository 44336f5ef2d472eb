import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { collectOutput, endChild, endWithRunner } from './child-end.ts'
import { serverProgram } from './programs.ts'

const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'server-test-compile-cache') }

export type ServerProcess = {
  readonly baseUrl: string
  readonly uploadUrl: string
  /** The server's own address for parts, even if clients use a proxy. */
  readonly partsUrl: string
  readonly metricsUrl: string
  /** The API key, which the server prints only at the first start of a data folder. */
  readonly key: string
  readonly child: ChildProcess
  stderr(): string
  stop(): Promise<number | null>
  kill(): Promise<void>
}

/** Starts the server program as a separate process, and waits until it can answer. */
export const launchServer = async (
  flags: readonly string[],
  extraEnv: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> => {
  const args = [serverProgram, '--port', '0', '--upload-port', '0', '--metrics-port', '0', ...flags]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...extraEnv },
  })
  endWithRunner(child)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line') as Promise<[string]>,
    once(child, 'exit').then(() => {
      throw new Error(`The server did not start: ${stderr}`)
    }),
  ])
  const startLine = JSON.parse(line)
  return {
    baseUrl: startLine.base_url,
    uploadUrl: startLine.upload_url,
    partsUrl: startLine.parts_url,
    metricsUrl: startLine.metrics_url,
    key: startLine.key,
    child,
    stderr: () => stderr,
    stop: () => endChild(child, 'SIGTERM'),
    kill: async () => void (await endChild(child, 'SIGKILL')),
  }
}

/** Runs one command of the server to its end. */
export const runServerCommand = (
  args: readonly string[],
  extraEnv: Readonly<Record<string, string>> = {},
) => {
  const child = spawn(process.execPath, [serverProgram, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...extraEnv },
  })
  endWithRunner(child)
  return collectOutput(child)
}
