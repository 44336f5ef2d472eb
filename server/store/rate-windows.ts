/** A minute in which the requests of one key are counted. */
export type RateWindow = { readonly startedAt: number; readonly used: number }

export const rateWindowMs = 60_000

export type RateWindows = {
  /** Counts one request and returns its window. */
  count(bucket: string, now: number): Promise<RateWindow>
}

/** Rate windows within one process. */
export function memoryRateWindows(): RateWindows {
  const windows = new Map<string, { startedAt: number; used: number }>()
  return {
    async count(bucket, now) {
      const window = windows.get(bucket)
      // If the clock was set back, the old window could last for hours, so start a new one.
      if (window !== undefined && now >= window.startedAt && now < window.startedAt + rateWindowMs) {
        window.used += 1
        return { ...window }
      }
      windows.set(bucket, { startedAt: now, used: 1 })
      return { startedAt: now, used: 1 }
    },
  }
}
