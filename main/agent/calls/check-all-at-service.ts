import type { ReceiptEntry } from '../../../shared/status/receipt.ts'
import type { ServiceVerifyResult, VerifyResult } from './verify-receipt.ts'

const PARALLEL_REQUESTS = 4
/** If the service requests longer waits than this in total between two answers, it counts as not responding. */
const MAX_WAIT_MS = 15 * 60_000

type Options = {
  readonly checkEntry: (entry: ReceiptEntry) => Promise<ServiceVerifyResult>
  readonly sleep: (ms: number) => Promise<unknown>
  /** Called once per shared wait. */
  readonly onWait: (ms: number) => void
}

/**
 * Checks each recording of a receipt at the service. If the service does not respond or refuses the key, sends no more
 * requests. If the service requests a wait (§7), waits and repeats the request.
 */
export const checkAllAtService = async (
  entries: readonly ReceiptEntry[],
  { checkEntry, sleep, onWait }: Options,
): Promise<readonly VerifyResult[]> => {
  const results: VerifyResult[] = []
  let unreachableResult: VerifyResult | null = null
  let waitedMs = 0
  let sharedWait: Promise<unknown> | null = null
  /** One wait for all requests: the rate limit applies to the key (§8). */
  const waitTogether = (ms: number): Promise<unknown> => {
    if (sharedWait !== null) return sharedWait
    waitedMs += ms
    onWait(ms)
    sharedWait = sleep(ms).finally(() => {
      sharedWait = null
    })
    return sharedWait
  }
  const remaining = entries.entries()
  const checkRemaining = async () => {
    for (const [index, entry] of remaining) {
      while (results[index] === undefined) {
        if (unreachableResult !== null) {
          results[index] = unreachableResult
          break
        }
        const { result, next } = await checkEntry(entry)
        if (typeof next === 'object' && waitedMs + next.waitMs <= MAX_WAIT_MS) {
          await waitTogether(next.waitMs)
          continue
        }
        if (next === 'go-on') waitedMs = 0
        else unreachableResult ??= result
        results[index] = result
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, checkRemaining))
  return results
}
