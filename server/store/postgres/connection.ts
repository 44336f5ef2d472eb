import pg from 'pg'
import { BatchingSocket } from './batching-socket.ts'

export type Connection = {
  /** `postgres://user@host/database`, optionally with the libpq parameters that node-postgres supports. */
  readonly url: string
  /** Overrides a password in the URL. Without any password, node-postgres uses `PGPASSWORD` and `.pgpass`. */
  readonly password?: string
}

/**
 * After this time, PostgreSQL ends the connection of an instance that froze or lost its network inside a transaction.
 * Otherwise, its row locks would stop all other instances for hours. A parameter of the URL overrides this time.
 */
const idleInTransactionMs = 10_000

const int8 = 20

/** Counts, sizes and times fit into 53 bits, so the server reads BIGINT as a number. */
const types = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export function clientConfig({ url, password }: Connection): pg.ClientConfig {
  return {
    connectionString: password === undefined ? url : withPassword(url, password),
    application_name: 'sluice-server',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // node-postgres sends a query without waiting for the answers to earlier ones.
    pipeline: true,
    stream: () => new BatchingSocket(),
    idle_in_transaction_session_timeout: idleInTransactionMs,
    types,
  }
}

/**
 * node-postgres ignores a separate password beside a connection string, so the password must be in the string. As a
 * parameter, it overrides any other password of the URL, and also works in a URL without a host.
 */
function withPassword(url: string, password: string): string {
  const address = new URL(url)
  address.searchParams.set('password', password)
  return address.href
}
