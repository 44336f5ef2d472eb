import type { CheckedArgs } from '../../../shared/ipc.ts'
import { type LogPage, parseLogLine } from '../../../shared/program-log.ts'

const LINES = 2_000
/** So that the last of them is written just before the morning of the pictures. */
const beganMs = Date.parse('2026-03-12T04:55:00Z')

/** As main and agent write them, one every five seconds, the newest last. */
const lineAt = (n: number): string => {
  const at = new Date(beganMs + n * 5_000).toISOString()
  const about = `recording=${(n % 40) + 1} request=req_01JX7V${String(n).padStart(6, '0')}`
  if (n % 97 === 0) return `${at} error main agent exited with code 1; starting again in 250 ms`
  if (n % 31 === 0) return `${at} warn agent condition-began request=req_01JX7W${n} {"condition":"control"}`
  if (n % 3 === 0) return `${at} info agent completing -> processing: completed ${about}`
  return `${at} info agent uploading -> completing: every part is at the service ${about}`
}

export const listLogLines = (query: CheckedArgs<'listLogLines'>): LogPage => {
  const { levels, sources, text, older, limit } = query
  const lines = []
  let at = older === null ? LINES : Number(older)
  while (at > 0 && lines.length < limit) {
    at -= 1
    const line = lineAt(at)
    const parsed = parseLogLine(line)
    const fits =
      (levels.length === 0 || levels.includes(parsed.level)) &&
      (sources.length === 0 || (parsed.source !== null && sources.includes(parsed.source))) &&
      line.toLowerCase().includes(text.toLowerCase())
    if (fits) lines.push(parsed)
  }
  return { lines, older: at === 0 ? null : String(at) }
}
