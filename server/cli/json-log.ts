import { isoTime } from '../clock.ts'
import type { RequestLog } from '../context.ts'

/**
 * One JSON object per line. A line about a request has the request ID, so an operator can find the line for a station's
 * error.
 */
export function jsonLog(write: (line: string) => void): RequestLog {
  return (message, fields = {}) =>
    write(`${JSON.stringify({ time: isoTime(Date.now()), message, ...fields })}\n`)
}
