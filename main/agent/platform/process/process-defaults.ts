/*
 * Both entry points (`agent/process.ts`, `cli/cli.ts`) import this file before they write or connect. Only the owner
 * may read the files of this process (journal, backup, lock, log), whatever umask the process inherits.
 */
process.umask(0o077)

/*
 * If this variable is set, Node warns that certificates are not checked. Sluice's connections always check them
 * (service/connection.ts), so the warning would be wrong.
 */
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
