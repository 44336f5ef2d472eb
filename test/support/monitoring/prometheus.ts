import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../station.ts'

const LISTEN_STATE = '0A'

/** Finds the port that a process listens on. At the log level `warn`, Prometheus does not print its port. */
const findListeningPort = (pid: number): number | null => {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        // Prometheus has just closed the file descriptor.
        return []
      }
    }),
  )
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    if (state === LISTEN_STATE && sockets.has(inode)) return Number.parseInt(local.split(':')[1] ?? '', 16)
  }
  return null
}

export type Alert = {
  readonly state: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** Runs `prometheus` from PATH on a free port, with the given configuration. */
export class Prometheus {
  readonly #child: ChildProcess
  readonly #origin: string

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child
    this.#origin = origin
  }

  static async start(folder: string, config: object): Promise<Prometheus> {
    mkdirSync(folder, { recursive: true })
    const file = path.join(folder, 'prometheus.json')
    writeFileSync(file, JSON.stringify(config))
    const child = spawn(
      'prometheus',
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        '--web.listen-address=127.0.0.1:0',
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    await once(child, 'spawn')
    const port = await until('Prometheus listens', () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`)
      return findListeningPort(child.pid ?? 0)
    })
    const origin = `http://127.0.0.1:${port}`
    await until('Prometheus is ready', () =>
      fetch(`${origin}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    return new Prometheus(child, origin)
  }

  /** Evaluates the expression and returns its results, keyed by the value of `label`. */
  async query(expression: string, label: string): Promise<Readonly<Record<string, number>>> {
    const answer = (await this.#get(`query?query=${encodeURIComponent(expression)}`)) as {
      result: { metric: Record<string, string>; value: [number, string] }[]
    }
    return Object.fromEntries(
      answer.result.map(({ metric, value }) => [metric[label] ?? '', Number(value[1])]),
    )
  }

  async alerts(): Promise<readonly Alert[]> {
    return ((await this.#get('alerts')) as { alerts: Alert[] }).alerts
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }

  async #get(endpoint: string): Promise<unknown> {
    const answer = (await (await fetch(`${this.#origin}/api/v1/${endpoint}`)).json()) as {
      status: string
      data: unknown
      error?: string
    }
    if (answer.status !== 'success') throw new Error(answer.error)
    return answer.data
  }
}
