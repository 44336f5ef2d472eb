import { isoTime } from '../clock.ts'
import type { RequestLog } from '../context.ts'

/** One JSON object per line. Requests include their ID, so the ID in a station's error message leads to its line. */
export function jsonLog(write: (line: string) => void, now: () => number = Date.now): RequestLog {
  return (message, fields = {}) => write(`${JSON.stringify({ time: isoTime(now()), message, ...fields })}\n`)
}
