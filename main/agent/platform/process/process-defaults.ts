/*
 * Imported first by both entries, before anything is written or connected. Whatever this process makes (journal,
 * backup, lock, log) is for its owner alone, however wide the umask it was started with.
 */
process.umask(0o077)

/*
 * Our connections check certificates whatever this says (service/connection.ts); left in the environment, it would
 * only make Node warn that they do not.
 */
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
