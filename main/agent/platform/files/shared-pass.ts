import type { Clock } from '../../ports/clock.ts'

/** All callers within this time after the start of a pass share its result. */
const sharedMs = 1_000
const maxSharedAfterEndMs = 4_000

type Pass<T> = { readonly result: Promise<T>; readonly startedAtMs: number; endedAtMs: number | null }

/**
 * Hard case: The system is so busy that a pass over all processes takes seconds.
 * Thousands of files may need a pass, so callers join a running pass. Its result stays valid for as long as the pass
 * took, but at most 4 s, so that passes do not run all the time. A pass that started before a file was last written may
 * have missed its recorder, so the check of this file needs a newer pass.
 */
export const sharePasses = <T>(clock: Pick<Clock, 'monotonicMs'>, pass: () => Promise<T>) => {
  let last: Pass<T> | null = null
  /** Returns the result of a pass that started at `notBeforeMs` or later. Infinity always starts a new pass. */
  return (notBeforeMs = Number.NEGATIVE_INFINITY): Promise<T> => {
    const nowMs = clock.monotonicMs()
    if (last !== null && last.startedAtMs >= notBeforeMs && isShared(last, nowMs)) return last.result
    const started: Pass<T> = { result: pass(), startedAtMs: nowMs, endedAtMs: null }
    const end = () => {
      started.endedAtMs = clock.monotonicMs()
    }
    void started.result.then(end, end)
    last = started
    return started.result
  }
}

const isShared = ({ startedAtMs, endedAtMs }: Pass<unknown>, nowMs: number): boolean =>
  endedAtMs === null ||
  nowMs - startedAtMs < sharedMs ||
  nowMs - endedAtMs < Math.min(endedAtMs - startedAtMs, maxSharedAfterEndMs)
