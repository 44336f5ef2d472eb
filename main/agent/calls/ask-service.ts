import type { ReceiptEntry } from '../../../shared/status/receipt.ts'
import type { ServiceSide, Side } from './verify-receipt.ts'

const PARALLEL_REQUESTS = 4
/** After waiting this long without a single answer, the service counts as not responding. */
const MAX_WAIT_MS = 15 * 60_000

type Asking = {
  readonly ask: (entry: ReceiptEntry) => Promise<ServiceSide>
  readonly sleep: (ms: number) => Promise<unknown>
  /** Called once per shared wait. */
  readonly onWait: (ms: number) => void
}

/**
 * Asks the service about each recording. If the service does not answer, `askService` sends no more requests:
 * each would wait just as long. If the service asks to wait (§7), `askService` waits and asks again.
 */
export const askService = async (
  entries: readonly ReceiptEntry[],
  { ask, sleep, onWait }: Asking,
): Promise<readonly Side[]> => {
  const sides: Side[] = []
  let unreachable: Side | null = null
  let waitedMs = 0
  let waiting: Promise<unknown> | null = null
  /** One wait for all requests: the rate limit applies to the key (§8). */
  const waitTogether = (ms: number): Promise<unknown> => {
    if (waiting !== null) return waiting
    waitedMs += ms
    onWait(ms)
    waiting = sleep(ms).finally(() => {
      waiting = null
    })
    return waiting
  }
  const remaining = entries.entries()
  const askRemaining = async () => {
    for (const [index, entry] of remaining) {
      while (sides[index] === undefined) {
        if (unreachable !== null) {
          sides[index] = unreachable
          break
        }
        const { side, next } = await ask(entry)
        if (typeof next === 'object' && waitedMs + next.waitMs <= MAX_WAIT_MS) {
          await waitTogether(next.waitMs)
          continue
        }
        if (next === 'go-on') waitedMs = 0
        else unreachable ??= side
        sides[index] = side
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, askRemaining))
  return sides
}
