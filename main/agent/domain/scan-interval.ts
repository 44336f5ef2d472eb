/**
 * Hard case: A large folder with nothing new.
 * If the folder sends events, scans take less than half a percent of the time, but run at least every 15 minutes.
 * Without reliable events, for example on a share, they run at least every 5 minutes.
 */

const MIN_SCAN_INTERVAL_MS = 30_000

/** `maxTimeFraction`: the largest fraction of time that scans may take. `maxMs`: the longest time between two scans. */
const bounds = {
  withEvents: { maxTimeFraction: 0.003, maxMs: 15 * 60_000 },
  withoutEvents: { maxTimeFraction: 0.05, maxMs: 5 * 60_000 },
} as const

/**
 * The delay of the next scan if no event arrives. If the folder sends events, scans are needed only for lost events, so
 * they must cost almost nothing. A share may send no events, and then only scans find new files.
 */
export const scanIntervalMs = (scanCostMs: number, sendsEvents: boolean): number => {
  const { maxTimeFraction, maxMs } = sendsEvents ? bounds.withEvents : bounds.withoutEvents
  return Math.min(maxMs, Math.max(MIN_SCAN_INTERVAL_MS, scanCostMs / maxTimeFraction))
}

/** The shortest delay between two scans after events. */
const MIN_EVENT_SCAN_INTERVAL_MS = 100
/** While events keep arriving, scans of known files may take at most this fraction of time. */
const MAX_EVENT_SCAN_FRACTION = 0.1
/**
 * On a local drive, one file takes a tenth of this time. If the average is higher, it includes other work of the event
 * loop.
 */
const MAX_PER_FILE_MS = 0.1

/** The delay of the scan after an event. */
export const eventScanIntervalMs = (scanCostMs: number): number =>
  Math.max(MIN_EVENT_SCAN_INTERVAL_MS, scanCostMs / MAX_EVENT_SCAN_FRACTION)

/**
 * The time that a scan spent on known files. New files do not count: if thousands arrive, a longer interval would delay
 * the next ones. If the folder sends events, other work of the event loop does not count either. In other folders,
 * Sluice cannot distinguish that work from waits for the network.
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
