/**
 * Hard case: A large folder with nothing new.
 * If the folder sends events, Sluice scans it so rarely that scans take less than half a percent of the time, but at
 * least every 15 minutes. Sluice scans a folder at least every 5 minutes if the folder is on a share, or cannot be
 * watched, or is on a drive of unknown kind that has not sent an event yet.
 */

const MIN_SCAN_INTERVAL_MS = 30_000

/**
 * `maxTimeFraction`: the largest fraction of time that scans may take. `maxMs`: the longest time until a scan finds a
 * file that no event reported.
 */
const bounds = {
  withEvents: { maxTimeFraction: 0.003, maxMs: 15 * 60_000 },
  withoutEvents: { maxTimeFraction: 0.05, maxMs: 5 * 60_000 },
} as const

/**
 * The delay of the next scan if no event arrives. If the folder sends events, this scan only finds files whose events
 * were lost in an overflow. So the scan must cost almost nothing. A network share may send no events: there, only scans
 * find new files.
 */
export const scanIntervalMs = (scanCostMs: number, sendsEvents: boolean): number => {
  const { maxTimeFraction, maxMs } = sendsEvents ? bounds.withEvents : bounds.withoutEvents
  return Math.min(maxMs, Math.max(MIN_SCAN_INTERVAL_MS, scanCostMs / maxTimeFraction))
}

/** The shortest delay between two scans after events. */
const MIN_EVENT_SCAN_INTERVAL_MS = 100
/** Scanning known files may take at most this fraction of time while events keep arriving. */
const MAX_EVENT_SCAN_FRACTION = 0.1
/**
 * On a local drive, checking one file takes a tenth of this time. If the average is above this limit, it includes other
 * work of the event loop.
 */
const MAX_PER_FILE_MS = 0.1

/** The delay of the next scan after an event. */
export const eventScanIntervalMs = (scanCostMs: number): number =>
  Math.max(MIN_EVENT_SCAN_INTERVAL_MS, scanCostMs / MAX_EVENT_SCAN_FRACTION)

/**
 * The time that a scan spent on known files. Time for new files does not count: if thousands arrive, more will follow,
 * and a longer interval would delay them. Other work of the event loop does not count either, if the folder sends
 * events. In other folders, such as those on a share, this work cannot be separated from network time.
 */
export const scanCostMs = (
  tookMs: number,
  {
    known,
    added,
    sendsEvents,
  }: { readonly known: number; readonly added: number; readonly sendsEvents: boolean },
): number => {
  const costMs = (tookMs * known) / Math.max(1, known + added)
  return sendsEvents ? Math.min(costMs, known * MAX_PER_FILE_MS) : costMs
}
