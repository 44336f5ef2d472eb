import { Refused } from '../calls/answer-call.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'Sluice has no permission to write there, or another program uses the file.',
  EPERM: 'Sluice has no permission to write there, or another program uses the file.',
  EBUSY: 'Another program uses the file.',
  EROFS: 'The drive is read-only.',
  ENOSPC: 'The drive is full.',
  ENOENT: 'The folder is missing.',
}

/** What a person reads when a file could not be written: `what` is the first sentence, the system gives the second. */
export const writeRefused = (what: string, error: unknown): Refused => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Refused(`${what} ${reasons[code] ?? message}`)
}
