/*
 * Both entries import this first, before they write or connect. Only the owner may read the files of this process
 * (journal, backup, lock, log), whatever umask the process inherits.
 */
process.umask(0o077)

/*
 * Our connections always check certificates (service/connection.ts). With this variable set, Node would still warn that
 * they do not check them.
 */
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
