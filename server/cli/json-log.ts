import { isoTime } from '../clock.ts'
import type { RequestLog } from '../context.ts'

/** A client may put its key anywhere, for example into the path. */
const hideKeys = (line: string): string => line.replace(/(svc_[a-z]+_)[0-9a-z]+/gi, '$1…')

/**
 * One JSON object per line. Lines about a request contain its ID, so that an operator can find a station's error.
 */
export function jsonLog(write: (line: string) => void, now: () => number = Date.now): RequestLog {
  return (message, fields = {}) =>
    write(`${hideKeys(JSON.stringify({ time: isoTime(now()), message, ...fields }))}\n`)
}
