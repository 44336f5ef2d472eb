import type { Failure } from '../../domain/failure.ts'

/**
 * Hard case: A file is locked, or its drive reports errors.
 * Sluice retries within 1 s, and then after growing delays of up to 30 s. After about ten minutes, the delays are up to
 * 5 minutes. On Windows, "access denied" counts as a lock, because a virus scanner can cause this error.
 */

const descriptions: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EBUSY: 'another program holds it open',
  EIO: 'the disk reported a read error',
  ELOOP: 'it is a symbolic link',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this PC',
  ENAMETOOLONG: 'the path is too long',
  ESTALE: 'the network share no longer has it',
  ETIMEDOUT: 'the drive did not answer',
}

/**
 * Only a user can fix these errors. All others are temporary, except that a missing file counts as vanished. On
 * Windows, the codes in `temporaryOnWindows` are also temporary.
 */
const permanentCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ELOOP', 'EISDIR', 'ENAMETOOLONG'])

/** The code of an operating system error. Null for any other error, which most callers rethrow as a bug. */
export const systemCode = (error: unknown): string | null =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null

export const describeCode = (code: string): string =>
  descriptions[code] === undefined ? code : `${descriptions[code]} (${code})`

/** Windows reports these codes for missing rights, but also if the file is being deleted or scanned for viruses. */
const temporaryOnWindows: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])

/** Converts the error of a file operation to a failure. Rethrows errors that do not come from the system. */
export const fileFailure = (error: unknown, platform: NodeJS.Platform = process.platform): Failure => {
  const code = systemCode(error)
  if (code === null) throw error
  if (platform === 'win32' && temporaryOnWindows.has(code))
    return { kind: 'file-busy', detail: `access denied, or another program holds it open (${code})` }
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'file-vanished' }
  return { kind: permanentCodes.has(code) ? 'file-unreadable' : 'file-busy', detail: describeCode(code) }
}
