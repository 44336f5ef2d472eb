import { Refused } from '../calls/answer-call.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'Sluice may not write there, or another program holds the file open.',
  EPERM: 'Sluice may not write there, or another program holds the file open.',
  EBUSY: 'Another program holds the file open.',
  EROFS: 'The drive can only be read.',
  ENOSPC: 'The drive is full.',
  ENOENT: 'The folder cannot be found.',
}

/** What a person reads when a file could not be written: `what` is the first sentence, the system gives the second. */
export const writeRefused = (what: string, error: unknown): Refused => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Refused(`${what} ${reasons[code] ?? message}`)
}
