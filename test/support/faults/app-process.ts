import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { prepareWindow } from '../../../scripts/window/open-app.mjs'
import { familyOf } from '../packaged-app.ts'
import { until } from '../station.ts'
import type { FaultStation } from './fault-station.ts'

const root = path.resolve(import.meta.dirname, '../../..')

type Window = NonNullable<Awaited<ReturnType<typeof prepareWindow>>>

/** A process that has ended keeps its PID until its parent reaps it. Such a process counts as dead. */
const isAlive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return false
  }
}

const describeProcess = (pid: number): string => {
  const readProc = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  const threads = readdirSync(`/proc/${pid}/task`).map((id) => readProc(`task/${id}/wchan`))
  return `${pid} ${readProc('cmdline').replaceAll('\0', ' ')} ${readProc('stat')} ${threads.join(',')}`
}

const hasOpen = (pid: number, file: string): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === file
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}

/** The whole app, started as a user starts it. A test observes its processes, its output and its journal. */
export class AppProcess {
  readonly child: ChildProcess
  readonly #data: string
  output = ''

  private constructor(child: ChildProcess, data: string) {
    this.child = child
    this.#data = data
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
  }

  static start(
    faultStation: FaultStation,
    window: Window,
    options: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
  ): AppProcess {
    mkdirSync(faultStation.data, { recursive: true })
    const settingsFile = path.join(faultStation.data, 'settings.json')
    if (!existsSync(settingsFile)) copyFileSync(faultStation.station.settingsFile, settingsFile)
    const args = options.args ?? ['--password-store=basic']
    const child = spawn(
      window.executable,
      [root, ...window.args, '--data', faultStation.data, '--hidden', ...args],
      {
        cwd: root,
        env: {
          ...window.env,
          XDG_CONFIG_HOME: path.join(faultStation.station.root, 'config'),
          ...options.env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const app = new AppProcess(child, faultStation.data)
    onTestFinished(() => app.kill('main'))
    return app
  }

  /** The process that has the agent's lock file open, or null. */
  agentPid(): number | null {
    const lock = path.join(this.#data, 'agent.lock')
    return familyOf(this.child.pid ?? 0).find((pid) => hasOpen(pid, lock)) ?? null
  }

  /** Kills the main process. `both` kills its agent too. Then waits until no process of the app is left. */
  async kill(target: 'main' | 'both'): Promise<void> {
    const family = familyOf(this.child.pid ?? 0)
    const agent = this.agentPid()
    if (target === 'both' && agent !== null) process.kill(agent, 'SIGKILL')
    this.child.kill('SIGKILL')
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit')
    await until('no process of the app is left', () => !family.some(isAlive), 60_000).catch(
      (error: Error) => {
        throw new Error(`${error.message}; ${family.filter(isAlive).map(describeProcess).join('; ')}`)
      },
    )
  }
}
