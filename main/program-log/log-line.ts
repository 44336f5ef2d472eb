import type { LogLevel, LogSource } from '../../shared/ipc/program-log.ts'
import { redact, redactJson } from '../../shared/redaction/redact.ts'
import { cutText, cutWords, escapeText } from '../../shared/words/escape-text.ts'

/** Each event is one line of limited length, whatever the service or a file name contains. */
const MAX_LINE_CHARS = 16_384

export type LogFields = Readonly<Record<string, unknown>>

const clean = (text: string): string => redact(cutWords(text, MAX_LINE_CHARS))

/** Fields that users search for come first as tags. All others follow as JSON. */
const tags = { recordingId: 'recording', sessionId: 'session', requestId: 'request' } as const

const isTag = (name: string): name is keyof typeof tags => name in tags

const plain = /^[\w.:-]{1,200}$/

const tagOf = (name: keyof typeof tags, value: unknown): string => {
  const text = clean(String(value))
  return ` ${tags[name]}=${plain.test(text) ? text : JSON.stringify(text)}`
}

/** "2026-03-12T21:30:00.000Z info agent uploaded recording=12 request=req_8 {…}", without its line break. */
export const logLine = (
  at: Date,
  level: LogLevel,
  source: LogSource,
  event: string,
  fields: LogFields = {},
): string => {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  const tagText = entries.map(([name, value]) => (isTag(name) ? tagOf(name, value) : '')).join('')
  const otherEntries = entries.filter(([name]) => !isTag(name))
  const jsonText = otherEntries.length === 0 ? '' : ` ${redactJson(Object.fromEntries(otherEntries), clean)}`
  const text = cutText(escapeText(`${clean(event)}${tagText}${jsonText}`), MAX_LINE_CHARS)
  return `${at.toISOString()} ${level} ${source} ${text}`
}
