/** Most recordings are processed soon. The longer a recording takes, the less often Sluice polls its session. */
const INTERVAL_GROWTH = 1.5
const MAX_INTERVAL_MS = 5 * 60_000

/** While events arrive, only a session whose event was lost needs a poll. */
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

/**
 * The wait before the first poll if no events arrive, unless `poll_seconds` is shorter. Processing rarely takes less
 * time, so an earlier poll would rarely find a result.
 */
const FIRST_POLL_MS = 2_000

/**
 * The delay of the first poll after the completion. While events arrive, only a session whose event was lost needs this
 * poll, so the poll may be late.
 */
export const firstPollMs = (baseSeconds: number, eventsArrive: boolean): number =>
  eventsArrive ? pollIntervalMs(0, baseSeconds, true) : Math.min(baseSeconds * 1000, FIRST_POLL_MS)

/**
 * Sluice rounds the time of a poll up to the end of a step. A step is this share of the wait before the poll. Many
 * sessions are then due at the same time, and one page of the service's list answers for all of them.
 */
const STEP_SHARE = 0.25

/**
 * The time of the next poll: the end of the wait, rounded up so that it coincides with other polls. `phase` is between
 * 0 and 1 and differs between stations: otherwise fifty stations would poll at the same moment.
 */
export const pollAtMs = (nowMs: number, waitMs: number, phase: number): number => {
  if (waitMs <= 0) return Math.round(nowMs)
  const stepMs = Math.max(1, waitMs * STEP_SHARE)
  const offsetMs = phase * stepMs
  return Math.round(Math.ceil((nowMs + waitMs - offsetMs) / stepMs) * stepMs + offsetMs)
}

/** Sluice relies on events only if one arrived within this time. */
export const EVENTS_FRESH_MS = 3_600_000
/** If the event of a session has not arrived this long after the session ended, the event counts as lost. */
export const EVENT_LATE_MS = 60_000

export type EventFacts = {
  /** Whether the receiver is open and has a secret to verify events with. */
  readonly isListening: boolean
  readonly lastEventAtMs: number | null
  /** When a session last ended without its event. */
  readonly lastMissedAtMs: number | null
}

/** Whether events arrive: the receiver is open, an event arrived within the last hour, and none was missed since. */
export const eventsArrive = (facts: EventFacts, nowMs: number): boolean => {
  const { isListening, lastEventAtMs, lastMissedAtMs } = facts
  if (!isListening || lastEventAtMs === null) return false
  const ageMs = nowMs - lastEventAtMs
  // A time in the future means that the clock was set back. Then the last event may be old, so do not rely on events.
  if (ageMs < 0 || ageMs >= EVENTS_FRESH_MS) return false
  return lastMissedAtMs === null || lastMissedAtMs < lastEventAtMs
}
