import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { capture } from '../../scripts/launcher/child.mjs'

const root = path.join(import.meta.dirname, '../..')

/**
 * Chromium's sandbox does not start for root, and the packaged app opens no window without the sandbox. So root starts
 * the app as this user.
 */
const UNPRIVILEGED_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const OPEN_TO_ALL = 0o755

/** On machines without an Electron, the tests only read packages for x64. */
export const packagedArch = process.versions.electron === undefined ? 'x64' : process.arch

/** A package from `npm run package`, started as an ordinary user starts it. Linux only. */
export class PackagedApp {
  readonly #base: string
  readonly home: string
  readonly #runningChildren = new Set<ChildProcess>()

  private constructor(base: string) {
    this.#base = base
    this.home = path.join(base, 'home')
    mkdirSync(this.home)
    if (UNPRIVILEGED_USER.uid !== undefined)
      chownSync(this.home, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
  }

  static make(...flags: readonly string[]): Promise<PackagedApp> {
    return PackagedApp.makeWith({}, ...flags)
  }

  static async makeWith(env: NodeJS.ProcessEnv, ...flags: readonly string[]): Promise<PackagedApp> {
    const base = mkdtempSync(path.join(tmpdir(), 'sluice-package-'))
    chmodSync(base, OPEN_TO_ALL)
    const { code, output } = await capture(
      'node',
      ['scripts/package.mjs', ...flags, '--into', path.join(base, 'dist')],
      {
        cwd: root,
        env: { ...plainEnvironment(), ...env },
      },
    )
    if (code !== 0) throw new Error(`the package was not built: ${output}`)
    return new PackagedApp(base)
  }

  /** The folder of the packages. */
  get dist(): string {
    return path.join(this.#base, 'dist')
  }

  get folder(): string {
    return path.join(this.dist, packagedArch === 'x64' ? 'linux-unpacked' : `linux-${packagedArch}-unpacked`)
  }

  get executable(): string {
    return path.join(this.folder, 'sluice')
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = spawn(this.executable, args, {
      ...UNPRIVILEGED_USER,
      cwd: this.home,
      env: { ...plainEnvironment(), HOME: this.home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#runningChildren.add(child)
    child.once('exit', () => this.#runningChildren.delete(child))
    return child
  }

  /** Starts the app, waits until it exits, and returns its exit code and its output. */
  async run(
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const child = this.start(args, env)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output }
  }

  async close(): Promise<void> {
    for (const child of [...this.#runningChildren]) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Removes the variables that make Electron run as Node. The tests may run with them, but the app must not. */
const plainEnvironment = (): NodeJS.ProcessEnv => {
  const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...env } = process.env
  return env
}

const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const FUSES = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeCliInspect',
  'asarIntegrity',
  'onlyAsar',
  'browserSnapshot',
  'fileProtocolPrivileges',
] as const

/**
 * Reads the fuses, which are Electron's build-time switches. The executable stores them as a sentinel, a version, a
 * length and one digit per fuse.
 */
export const fusesOf = (executable: string): Readonly<Record<(typeof FUSES)[number], boolean>> => {
  const bytes = readFileSync(executable)
  const sentinelAt = bytes.indexOf(SENTINEL)
  if (sentinelAt === -1 || bytes.indexOf(SENTINEL, sentinelAt + 1) !== -1)
    throw new Error('the executable does not contain exactly one fuse sentinel')
  const wire = sentinelAt + SENTINEL.length
  if (bytes[wire] !== 1) throw new Error(`unknown fuse version ${bytes[wire]}`)
  const digits = bytes.toString('latin1', wire + 2, wire + 2 + FUSES.length)
  return Object.fromEntries(FUSES.map((name, index) => [name, digits[index] === '1'])) as Record<
    (typeof FUSES)[number],
    boolean
  >
}

/** The PIDs of this process and all its descendants. */
export const familyOf = (pid: number): readonly number[] => {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // The process has just ended.
    }
  const family = [pid]
  for (const member of family)
    for (const [child, parent] of parents) if (parent === member) family.push(child)
  return family
}

const LISTENING = '0A'

/** The addresses on which one of these processes listens, in the kernel's hexadecimal form. */
export const listeningAddresses = (pids: readonly number[]): readonly string[] => {
  const sockets = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).map((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? ''
        } catch {
          return ''
        }
      }),
    ),
  )
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === LISTENING && sockets.has(columns[9] ?? ''))
      .map((columns) => columns[1] ?? ''),
  )
}
