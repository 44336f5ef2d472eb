import { setTimeout } from 'node:timers/promises'
import { formatDuration } from '../../shared/words/format.ts'
import { sentenceOf } from '../agent/calls/failure-sentence.ts'
import type { Outcome } from '../agent/domain/failure.ts'
import type { Answered } from '../agent/ports/service.ts'
import { printLine } from './terminal.ts'

const REQUEST_TIMEOUT_MS = 20_000
/** The command gives up before its waits add up to more than this. */
const MAX_TOTAL_WAIT_MS = 15 * 60_000
/** The wait after a 429 without Retry-After. */
const DEFAULT_WAIT_MS = 1_000

export const printWait = (ms: number): void =>
  printLine(`The service asks to wait ${formatDuration(ms / 1000)}. Sluice then retries.`, process.stderr)

/**
 * Sends one request of a command. If the service limits the rate, waits and retries (§7). Throws an Error for the user
 * after any other failure, and if the waits become too long.
 */
export const requestWithRetry = async <T>(
  send: (signal: AbortSignal) => Promise<Outcome<Answered<T>>>,
): Promise<Answered<T>> => {
  let leftMs = MAX_TOTAL_WAIT_MS
  for (;;) {
    const answer = await send(AbortSignal.timeout(REQUEST_TIMEOUT_MS))
    if (answer.ok) return answer.value
    const { failure } = answer
    const waitMs = failure.kind === 'rate-limited' ? (failure.retryAfterMs ?? DEFAULT_WAIT_MS) : null
    if (waitMs === null || waitMs > leftMs) throw new Error(sentenceOf(failure))
    leftMs -= waitMs
    printWait(waitMs)
    await setTimeout(waitMs)
  }
}
