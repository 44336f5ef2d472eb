import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { endChild, endWithRunner } from '../child-end.ts'
import type { Need } from '../needs.ts'

const packages = '/usr/lib/postgresql'

/** The folder with the programs of the newest installed PostgreSQL. */
const findPrograms = (): string | null => {
  const versions = existsSync(packages) ? readdirSync(packages) : []
  const newest = versions.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a))[0]
  const folder = newest === undefined ? null : path.join(packages, newest, 'bin')
  return folder !== null && existsSync(path.join(folder, 'initdb')) ? folder : null
}

export const postgresql: Need = () => (findPrograms() === null ? 'PostgreSQL' : null)

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** PostgreSQL refuses to run as root. If the tests run as root, PostgreSQL runs as the user `postgres`. */
const postgresUser = () => {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  )
  return { uid: uid!, gid: gid! }
}

export type Postgres = {
  readonly url: string
  /** Runs one query or several on a new connection. */
  query(sql: string): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A database server on a free port. Only benches need fsync, because no test cuts the power. */
export const startPostgres = async ({ fsync = false } = {}): Promise<Postgres> => {
  const bin = findPrograms()!
  const user = postgresUser()
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-postgres-'))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = path.join(folder, 'data')
  const initdb = ['-D', data, '-U', 'sluice', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  execFileSync(path.join(bin, 'initdb'), initdb, { ...user, cwd: folder, stdio: 'ignore' })
  const port = await freePort()
  const url = `postgres://sluice@127.0.0.1:${port}/postgres`
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: fsync ? 'on' : 'off',
  }
  const start = async () => {
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(path.join(bin, 'postgres'), ['-D', data, ...flags], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    })
    endWithRunner(child)
    while (!(await isReachable(url))) await delay(50)
    return child
  }
  let child = await start()
  return {
    url,
    async query(sql) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(sql)
      await client.end()
    },
    async restart() {
      // On SIGINT, PostgreSQL closes every connection immediately. It does not wait until the clients disconnect.
      await endChild(child, 'SIGINT')
      child = await start()
    },
    async stop() {
      await endChild(child, 'SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isReachable = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}
