/** Each poll waits longer than the one before, because most recordings are processed soon. */
const INTERVAL_GROWTH = 1.5
const MAX_INTERVAL_MS = 5 * 60_000

/** While events arrive, a session needs a poll only if its event was lost. So polls may be rare. */
const EVENTS_INTERVAL_FACTOR = 6
const MAX_INTERVAL_WITH_EVENTS_MS = 30 * 60_000

/** The wait before the next poll, in whole milliseconds, because the journal stores times as integers. */
export const pollIntervalMs = (polls: number, baseSeconds: number, eventsArrive = false): number => {
  const baseMs = baseSeconds * 1000
  const longestMs = eventsArrive ? MAX_INTERVAL_WITH_EVENTS_MS : MAX_INTERVAL_MS
  const intervalMs =
    baseMs * INTERVAL_GROWTH ** Math.min(polls, 20) * (eventsArrive ? EVENTS_INTERVAL_FACTOR : 1)
  return Math.round(Math.min(intervalMs, Math.max(longestMs, baseMs)))
}

/** The longest wait before the first poll if no events arrive. Processing rarely takes less time. */
const FIRST_POLL_MS = 2_000

/**
 * The wait between the completion and the first poll. It is longer while events arrive, because polls are then rarely
 * needed.
 */
export const firstPollMs = (baseSeconds: number, eventsArrive: boolean): number =>
  eventsArrive ? pollIntervalMs(0, baseSeconds, true) : Math.min(baseSeconds * 1000, FIRST_POLL_MS)

/**
 * Poll times are rounded up in steps. A step is this share of the wait. This way, many sessions are due together, and
 * one page of the service's list shows the state of all of them.
 */
const STEP_SHARE = 0.25

/**
 * The time of the next poll, rounded up so that it coincides with other polls. `phase`, from 0 to 1, differs between
 * stations, so that they do not all poll at the same moment.
 */
export const pollAtMs = (nowMs: number, waitMs: number, phase: number): number => {
  if (waitMs <= 0) return Math.round(nowMs)
  const stepMs = Math.max(1, waitMs * STEP_SHARE)
  const offsetMs = phase * stepMs
  return Math.round(Math.ceil((nowMs + waitMs - offsetMs) / stepMs) * stepMs + offsetMs)
}

/** Sluice relies on events only if the last one is newer than this. */
export const EVENTS_FRESH_MS = 3_600_000
/** An event that has not arrived this long after its session ended counts as lost. */
export const EVENT_LATE_MS = 60_000

export type EventFacts = {
  /** Whether the receiver is open and has a secret to verify events with. */
  readonly isListening: boolean
  readonly lastEventAtMs: number | null
  /** When a session last ended without its event. */
  readonly lastMissedAtMs: number | null
}

/** Whether events arrive: the receiver is open, had an event within the last hour, and has missed none since. */
export const eventsArrive = (facts: EventFacts, nowMs: number): boolean => {
  const { isListening, lastEventAtMs, lastMissedAtMs } = facts
  if (!isListening || lastEventAtMs === null) return false
  const ageMs = nowMs - lastEventAtMs
  // A time in the future means that the clock was set back, so the last event may be old.
  if (ageMs < 0 || ageMs >= EVENTS_FRESH_MS) return false
  return lastMissedAtMs === null || lastMissedAtMs < lastEventAtMs
}
