import pg from 'pg'
import type { Claims } from '../claims.ts'
import { first } from '../steps.ts'
import { type Connection, clientConfig } from './connection.ts'

/** PostgreSQL drops the claims of a killed process at once, and those of an unreachable host after about 25 seconds. */
const keepAlive =
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'

/**
 * Claims are advisory locks of one connection. They need no rows, no renewal and no expiry: when the process ends, its
 * connection ends, and PostgreSQL drops the locks.
 */
export class PostgresClaims implements Claims {
  readonly #connection: Connection
  readonly #ownNames = new Set<string>()
  #client: Promise<pg.Client> | null = null

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async take(name: string): Promise<(() => Promise<void>) | null> {
    // A connection can take its own lock twice, so this process tracks the names that it holds.
    if (this.#ownNames.has(name)) return null
    this.#ownNames.add(name)
    try {
      const client = await this.#connect()
      const sql = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken'
      const { rows } = await client.query<{ taken: boolean }>(sql, [name])
      if (rows[0]?.taken === true) return () => this.#release(client, name)
    } catch (error) {
      this.#ownNames.delete(name)
      throw error
    }
    this.#ownNames.delete(name)
    return null
  }

  /** Tries to take a shared lock, which ends with the transaction. Outside a transaction, the lock ends at once. */
  *isTaken(name: string) {
    const sql = 'SELECT pg_try_advisory_xact_lock_shared(hashtextextended(@name, 0)) AS free'
    return (yield* first<{ free: boolean }>(sql, { name }))?.free !== true
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null)
    await client?.end()
  }

  /** Ignores errors: without its connection, the lock is gone too. */
  async #release(client: pg.Client, name: string): Promise<void> {
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => {})
    this.#ownNames.delete(name)
  }

  #connect(): Promise<pg.Client> {
    this.#client ??= this.#open().catch((error: unknown) => {
      this.#client = null
      throw error
    })
    return this.#client
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(clientConfig(this.#connection))
    const forget = () => {
      this.#client = null
    }
    client.on('error', forget)
    client.on('end', forget)
    await client.connect()
    await client.query(keepAlive)
    return client
  }
}
