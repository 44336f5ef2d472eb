import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { BackEndAddress } from '../support/back-ends/sandbox-on-back-end.ts'
import { collectOutput, endChild, endWithRunner } from '../support/child-end.ts'
import { sandboxProgram } from '../support/programs.ts'

/** The sandboxes of all test runs share one compile cache: compiling takes half of their start-up time. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'sandbox-test-compile-cache') }

export type SandboxAddress = {
  readonly baseUrl: string
  readonly uploadUrl: string
  readonly controlUrl: string
  readonly keys: Readonly<Record<'write' | 'read' | 'revoked' | 'other_org' | 'live', string>>
}

export type SandboxProcess = SandboxAddress & {
  readonly firstLine: string
  readonly pid: number
  stderr(): string
  /** Stops the process as a service manager does, and returns the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL at once. */
  kill(): Promise<void>
  peakMemoryBytes(): number
}

/** Starts the sandbox in its own process and waits for the first line of its output. */
export function launch(...flags: string[]): Promise<SandboxProcess> {
  return launchWith({}, ...flags)
}

/** Like `launch`, with additional environment variables. */
export function launchWith(
  extra: Readonly<Record<string, string>>,
  ...flags: string[]
): Promise<SandboxProcess> {
  return launchProgram(sandboxProgram, extra, flags)
}

/** Like `launchWith`, but the sandbox keeps its records in PostgreSQL, and the parts in S3 if `address` has `s3`. */
export function launchOn(
  address: BackEndAddress,
  extra: Readonly<Record<string, string>>,
  ...flags: string[]
): Promise<SandboxProcess> {
  const program = join(import.meta.dirname, '../support/back-ends/sandbox-on-back-end.ts')
  return launchProgram(program, { ...extra, SLUICE_BACK_END: JSON.stringify(address) }, flags)
}

async function launchProgram(
  program: string,
  extra: Readonly<Record<string, string>>,
  flags: readonly string[],
): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [program, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...extra },
  })
  endWithRunner(child)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const firstLine = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => line as string),
    once(child, 'exit').then(() => {
      throw new Error(`The sandbox did not start: ${stderr}`)
    }),
  ])
  const addresses = JSON.parse(firstLine)
  return {
    baseUrl: addresses.base_url,
    uploadUrl: addresses.upload_url,
    controlUrl: addresses.control_url,
    keys: addresses.keys,
    firstLine,
    pid: child.pid!,
    stderr: () => stderr,
    stop: () => endChild(child, 'SIGTERM'),
    kill: async () => void (await endChild(child, 'SIGKILL')),
    peakMemoryBytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024
    },
  }
}

/** Runs the sandbox until it exits, for flags that the sandbox must refuse. */
export async function runToEnd(...flags: string[]) {
  const child = spawn(process.execPath, [sandboxProgram, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  endWithRunner(child)
  return collectOutput(child)
}
