import { Refused } from './refused.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'Sluice has no permission to write there, or another program uses the file.',
  EPERM: 'Sluice has no permission to write there, or another program uses the file.',
  EBUSY: 'Another program uses the file.',
  EROFS: 'The drive is read-only.',
  ENOSPC: 'The drive is full.',
  ENOENT: 'The folder is missing.',
}

/** The error for a failed write. The system's reason follows the sentence. */
export const writeError = (sentence: string, error: unknown): Refused => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Refused(`${sentence} ${reasons[code] ?? message}`)
}
