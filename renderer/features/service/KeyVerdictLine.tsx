import type { KeyVerdict } from '../../../shared/ipc/key-verdict.ts'
import { asSentence } from '../../../shared/words/issue-sentence.ts'
import type { Tone } from '../../../shared/words/words.ts'
import { Banner } from '../../components/Banner.tsx'
import type { KeyCheck } from './use-key-check.ts'

type Line = { readonly tone: Tone; readonly sentence: string }

const verdictLine = (verdict: KeyVerdict): Line => {
  switch (verdict.kind) {
    case 'write':
      return {
        tone: verdict.live === false ? 'warn' : 'good',
        sentence: 'The key works: it can read and upload.',
      }
    case 'read':
      return {
        tone: 'warn',
        sentence: 'This key is read-only. Ask your administrator for one with write permission.',
      }
    case 'wrong':
      return { tone: 'bad', sentence: 'The service rejects this key: it is wrong or has been revoked.' }
    case 'unreadable-answer':
      return {
        tone: 'bad',
        sentence: 'Something answers at this address, but not the service. Check the address.',
      }
    case 'unreachable':
      return {
        tone: 'warn',
        sentence: `${asSentence(verdict.detail)} The key is not tested.`,
      }
  }
}

const kindWords = (live: boolean | null): string | null => {
  if (live === null) return null
  return live ? 'Live key: production data.' : 'Test key: its uploads do not reach production.'
}

const lineOf = (check: KeyCheck): Line | null => {
  switch (check.phase) {
    case 'nothing':
    case 'malformed':
      return null
    case 'checking':
      return { tone: 'busy', sentence: 'Testing the key…' }
    case 'not-checked':
      return { tone: 'quiet', sentence: check.sentence }
    case 'answered':
      return verdictLine(check.verdict)
  }
}

export function KeyVerdictLine({ check }: { readonly check: KeyCheck }) {
  const line = lineOf(check)
  const kind = check.phase === 'answered' ? kindWords(check.verdict.live) : null
  return (
    <div role="status">
      {line !== null && (
        <Banner tone={line.tone}>
          {line.sentence}
          {kind !== null && <strong> {kind}</strong>}
        </Banner>
      )}
    </div>
  )
}
