import { useEffect, useState } from 'react'
import type { KeyVerdict } from '../../../shared/ipc.ts'
import { apiKeySchema } from '../../../shared/settings.ts'
import { ask, sentenceOf } from '../../data/ask.ts'
import { issueOf } from '../../data/field-issues.ts'
import { addressSchema } from './address.ts'

export type KeyCheck =
  | { readonly phase: 'nothing' }
  | { readonly phase: 'malformed'; readonly sentence: string }
  | { readonly phase: 'checking' }
  | { readonly phase: 'answered'; readonly verdict: KeyVerdict }
  | { readonly phase: 'not-asked'; readonly sentence: string }

/** Long enough that nobody's key is sent letter by letter. */
const TYPING_PAUSE_MS = 500

/** Anything shorter is the beginning of one. */
const SHORTEST_KEY = 12

const before = (baseUrl: string, key: string): KeyCheck => {
  if (key.trim() === '') return { phase: 'nothing' }
  const malformed = issueOf(apiKeySchema, key)
  if (malformed !== null) return { phase: 'malformed', sentence: malformed }
  if (key.replace(/\s+/g, '').length < SHORTEST_KEY)
    return { phase: 'malformed', sentence: 'This is too short for a key.' }
  if (issueOf(addressSchema, baseUrl) !== null)
    return { phase: 'not-asked', sentence: 'The key is tried as soon as the address is right.' }
  return { phase: 'checking' }
}

/** Tries a key on entry. An answer for what was typed before is dropped. */
export const useKeyCheck = (baseUrl: string, key: string): KeyCheck => {
  const [answer, setAnswer] = useState<{ readonly for: string; readonly check: KeyCheck } | null>(null)
  const asked = `${baseUrl}\n${key}`
  const now = before(baseUrl, key)

  useEffect(() => {
    if (now.phase !== 'checking') return
    let current = true
    const timer = setTimeout(() => {
      ask('testKey', { baseUrl: addressSchema.parse(baseUrl), apiKey: key })
        .then((verdict): KeyCheck => ({ phase: 'answered', verdict }))
        .catch((reason: unknown): KeyCheck => ({ phase: 'not-asked', sentence: sentenceOf(reason) }))
        .then((check) => current && setAnswer({ for: asked, check }))
    }, TYPING_PAUSE_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [asked, baseUrl, key, now.phase])

  return now.phase === 'checking' && answer?.for === asked ? answer.check : now
}

/** Whether the key may be stored: also one that could not be tried, for the PC may be offline just now. */
export const mayStore = (check: KeyCheck): boolean =>
  check.phase === 'answered'
    ? check.verdict.kind === 'write' || check.verdict.kind === 'read' || check.verdict.kind === 'unreachable'
    : check.phase === 'not-asked'
