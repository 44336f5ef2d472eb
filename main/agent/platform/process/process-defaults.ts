/*
 * `agent/process.ts` and `cli/cli.ts` import this file before they write or connect. With this umask, only the owner
 * may read the files of this process (journal, backup, lock, log).
 */
process.umask(0o077)

/*
 * If this variable is set, Node warns that certificates are not checked. Sluice's connections always check them
 * (service/connection.ts), so the warning would be wrong.
 */
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
