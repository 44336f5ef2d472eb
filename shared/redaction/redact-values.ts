import { isSecretName, isStorageName, takesWholeLine } from './secret-names.ts'

/**
 * Removes keys by their prefix, tokens after `Bearer`, and values after the name of a secret field. It reads the line
 * once, so that the running time stays linear.
 */
export const redactValues = (line: string): string => {
  const words = /[\w-]+/g
  let clean = ''
  let position = 0
  for (let match = words.exec(line); match !== null; match = words.exec(line)) {
    const [word] = match
    const end = match.index + word.length
    const secret =
      findKey(line, match.index, word) ?? findToken(line, end, word) ?? findValue(line, end, word)
    if (secret === null) continue
    clean += line.slice(position, match.index) + secret.replacement
    position = words.lastIndex = secret.end
  }
  return clean + line.slice(position)
}

type Secret = { readonly replacement: string; readonly end: number }

const keyPrefix = /svc_(?:live|test)_|whsec_/i

/** Also matches inside a longer word: `xsvc_live_…` contains a key too. */
const findKey = (line: string, at: number, word: string): Secret | null => {
  const prefix = keyPrefix.exec(word)
  if (prefix === null) return null
  const start = prefix.index + prefix[0].length
  // `apiKeySchema` allows every printable ASCII character, but in a text these characters end a key.
  const end = endOf(/[^\s"'`<>,;()[\]{}&\\]*/y, line, at + start)
  return end === at + start ? null : { replacement: `${word.slice(0, start)}[removed]`, end }
}

const schemes = /^(?:bearer|basic|digest|negotiate|ntlm)$/i

const findToken = (line: string, at: number, word: string): Secret | null => {
  if (word.length !== 6 || word.toLowerCase() !== 'bearer') return null
  const start = endOf(/\s*/y, line, at)
  const end = endOf(/[^\s"'`<>]+/y, line, start)
  return start === at || end === start
    ? null
    : { replacement: `${word}${line.slice(at, start)}[removed]`, end }
}

const findValue = (line: string, at: number, word: string): Secret | null => {
  const isElement = line.charAt(at - word.length - 1) === '<' && line.charAt(at) === '>'
  const separator = isElement ? '>' : matchAt(/(?:\\*["'`])?\]?\s*(?:=>|[:=])\s*/y, line, at)
  if (separator === null || !isSecretName(word)) return null
  const start = at + separator.length
  const opening = matchAt(/\\*["'`]/y, line, start) ?? ''
  const end =
    opening === ''
      ? endOfPlain(line, start, takesWholeLine(word))
      : endOfQuoted(line, start + opening.length, opening)
  const name = isStorageName(word) ? '[signature]' : word
  return { replacement: `${name}${separator}${opening}[removed]`, end }
}

const endOfPlain = (line: string, start: number, isWholeLine: boolean): number => {
  const removedMark = matchAt(/\[removed\]/y, line, start)
  if (removedMark !== null && !isWholeLine) return start + removedMark.length
  // The end of a list or an object is unknown here, so remove the rest of the line.
  if (isWholeLine || /[[{]/.test(line.charAt(start))) return endOf(/[^\n]*/y, line, start)
  const end = endOf(/[^\s"'`<>&]*/y, line, start)
  // In "token: Bearer abc" the secret follows the scheme.
  return schemes.test(line.slice(start, Math.min(end, start + 16)))
    ? endOf(/\s*[^\s"'`<>&]*/y, line, end)
    : end
}

/**
 * Finds the closing quote, or the end of the line if there is none. JSON inside JSON escapes its quotes: one level
 * deep, `\"` opens and closes a value, and `\\\"` is part of it.
 */
const endOfQuoted = (line: string, start: number, opening: string): number => {
  const level = opening.length - 1
  const stopPattern = /["'`\n]/g
  stopPattern.lastIndex = start
  for (let match = stopPattern.exec(line); match !== null; match = stopPattern.exec(line)) {
    if (match[0] === '\n') return match.index
    if (match[0] !== opening.at(-1)) continue
    const escapes = backslashesBefore(line, match.index, start)
    if (escapes < level) return match.index - escapes
    if (escapes % (2 * (level + 1)) === level) return match.index - level
  }
  return line.length
}

const backslashesBefore = (line: string, at: number, start: number): number => {
  let count = 0
  while (at - count > start && line.charAt(at - count - 1) === '\\') count += 1
  return count
}

const matchAt = (pattern: RegExp, line: string, at: number): string | null => {
  pattern.lastIndex = at
  return pattern.exec(line)?.[0] ?? null
}

const endOf = (pattern: RegExp, line: string, at: number): number =>
  at + (matchAt(pattern, line, at)?.length ?? 0)
