import pg from 'pg'
import { BatchingSocket } from './batching-socket.ts'

export type Connection = {
  /** `postgres://user@host/database`, optionally with the libpq parameters that node-postgres supports. */
  readonly url: string
  /** Overrides a password in the URL. Without any password, node-postgres uses `PGPASSWORD` and `.pgpass`. */
  readonly password?: string
}

/**
 * If an instance freezes or loses its network inside a transaction, PostgreSQL ends the connection after this time.
 * Otherwise, its row locks would stop the other instances for hours. A parameter of the URL overrides the time.
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
 * node-postgres ignores a separate password beside a URL, so the URL must contain it. As a parameter, it overrides any
 * other password, and also works without a host.
 */
function withPassword(url: string, password: string): string {
  const address = new URL(url)
  address.searchParams.set('password', password)
  return address.href
}
