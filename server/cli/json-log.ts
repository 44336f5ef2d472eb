import { isoTime } from '../clock.ts'
import type { RequestLog } from '../context.ts'

/** One JSON object per line. Requests carry their ID, so a line can be found from an error that a station shows. */
export function jsonLog(write: (line: string) => void, now: () => number = Date.now): RequestLog {
  return (message, fields = {}) => write(`${JSON.stringify({ time: isoTime(now()), message, ...fields })}\n`)
}
