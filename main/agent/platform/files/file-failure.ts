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

/** What a failed file operation means for the recording. Errors that are not the system's are thrown on. */
export const fileFailure = (error: unknown): Failure => {
  const code = systemCode(error)
  if (code === null) throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'file-vanished' }
  return { kind: lasting.has(code) ? 'file-unreadable' : 'file-busy', detail: describeCode(code) }
}
