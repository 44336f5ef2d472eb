import type { Failure } from '../../domain/failure.ts'

const plainWords: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EBUSY: 'another program holds it open',
  EIO: 'the disk reported a read error',
  ELOOP: 'it is a symbolic link',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this PC',
  ENAMETOOLONG: 'the path is too long',
  ESTALE: 'the network share forgot it',
  ETIMEDOUT: 'the drive did not answer',
}

/** Nothing but somebody's hand changes these. All others pass: a lock, a drive that stumbles, too much at once. */
const lasting: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ELOOP', 'EISDIR', 'ENAMETOOLONG'])

/** The code of an operating system error; null for anything else, which is then a bug. */
export const systemCode = (error: unknown): string | null =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null

export const describeCode = (code: string): string =>
  plainWords[code] === undefined ? code : `${plainWords[code]} (${code})`

/** Windows says the same of missing rights, of a file that is just being deleted, and of one that a scanner keeps. */
const passingOnWindows: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])

/** What a failed file operation means for the recording. Errors that are not the system's are thrown on. */
export const fileFailure = (error: unknown, platform: NodeJS.Platform = process.platform): Failure => {
  const code = systemCode(error)
  if (code === null) throw error
  if (platform === 'win32' && passingOnWindows.has(code))
    return { kind: 'file-busy', detail: `access denied, or another program keeps it (${code})` }
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'file-vanished' }
  return { kind: lasting.has(code) ? 'file-unreadable' : 'file-busy', detail: describeCode(code) }
}
