import type { ReceiptEntry } from '../../../shared/status/receipt.ts'
import type { ServiceSide, Side } from './verify-receipt.ts'

const QUESTIONS_AT_ONCE = 4
/** A service that asks to wait for so long without one answer in between is not going to answer. */
const LONGEST_WAIT_MS = 15 * 60_000

type Asking = {
  readonly ask: (entry: ReceiptEntry) => Promise<ServiceSide>
  readonly sleep: (ms: number) => Promise<unknown>
  /** Told once for each time that all have to wait. */
  readonly onWait: (ms: number) => void
}

/**
 * What the service says of each recording. Once nobody answers, nobody is asked any more: each question would wait as
 * long as the first. A service that asks to wait is waited for (§7), and then asked the same again.
 */
export const askService = async (
  entries: readonly ReceiptEntry[],
  { ask, sleep, onWait }: Asking,
): Promise<readonly Side[]> => {
  const sides: Side[] = []
  let gaveUp: Side | null = null
  let waitedMs = 0
  let waiting: Promise<unknown> | null = null
  /** One wait for all of them: the limit is the key's (§8). */
  const waitTogether = (ms: number): Promise<unknown> => {
    if (waiting !== null) return waiting
    waitedMs += ms
    onWait(ms)
    waiting = sleep(ms).finally(() => {
      waiting = null
    })
    return waiting
  }
  const left = entries.entries()
  const askOn = async () => {
    for (const [index, entry] of left) {
      while (sides[index] === undefined) {
        if (gaveUp !== null) {
          sides[index] = gaveUp
          break
        }
        const { side, next } = await ask(entry)
        if (typeof next === 'object' && waitedMs + next.waitMs <= LONGEST_WAIT_MS) {
          await waitTogether(next.waitMs)
          continue
        }
        if (next === 'go-on') waitedMs = 0
        else gaveUp ??= side
        sides[index] = side
      }
    }
  }
  await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, askOn))
  return sides
}
