import { setTimeout } from 'node:timers/promises'
import { formatDuration } from '../../shared/words/format.ts'
import { sentenceOf } from '../agent/calls/failure-sentence.ts'
import type { Outcome } from '../agent/domain/failure.ts'
import type { Answered } from '../agent/ports/service.ts'
import { printLine } from './terminal.ts'

const REQUEST_LIMIT_MS = 20_000
/** A service that asks to wait for longer is asked another time, by whoever wants to know. */
const LONGEST_WAIT_MS = 15 * 60_000
/** For a 429 that forgot its Retry-After. */
const DEFAULT_WAIT_MS = 1_000

export const tellWait = (ms: number): void =>
  printLine(`The service asks to wait ${formatDuration(ms / 1000)}; retrying then.`, process.stderr)

/** One question of a person. A service that asks to wait is waited for (§7); what else goes wrong is told. */
export const askPatiently = async <T>(
  ask: (signal: AbortSignal) => Promise<Outcome<Answered<T>>>,
): Promise<Answered<T>> => {
  let leftMs = LONGEST_WAIT_MS
  for (;;) {
    const answer = await ask(AbortSignal.timeout(REQUEST_LIMIT_MS))
    if (answer.ok) return answer.value
    const { failure } = answer
    const waitMs = failure.kind === 'rate-limited' ? (failure.retryAfterMs ?? DEFAULT_WAIT_MS) : null
    if (waitMs === null || waitMs > leftMs) throw new Error(sentenceOf(failure))
    leftMs -= waitMs
    tellWait(waitMs)
    await setTimeout(waitMs)
  }
}
