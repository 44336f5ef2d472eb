import type { LogLevel, LogSource } from '../../shared/ipc/program-log.ts'
import { redact, redactJson } from '../../shared/redaction/redact.ts'
import { cutText, cutWords, escapeText } from '../../shared/words/escape-text.ts'

/** Whatever the service or a folder brings along: one event is one line, and no line fills the file. */
const MOST_LINE_CHARS = 16_384

export type Facts = Readonly<Record<string, unknown>>

const clean = (text: string): string => redact(cutWords(text, MOST_LINE_CHARS))

/** What people search by stands in the open; everything else is JSON behind it. */
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
  facts: Facts = {},
): string => {
  const given = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  const tagged = given.map(([name, value]) => (isTag(name) ? tagOf(name, value) : '')).join('')
  const rest = given.filter(([name]) => !isTag(name))
  const more = rest.length === 0 ? '' : ` ${redactJson(Object.fromEntries(rest), clean)}`
  const text = cutText(escapeText(`${clean(event)}${tagged}${more}`), MOST_LINE_CHARS)
  return `${at.toISOString()} ${level} ${source} ${text}`
}
