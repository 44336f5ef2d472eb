/** Most recordings are processed soon; a long one is asked about less and less often. */
const GROWTH = 1.5
const LONGEST_MS = 5 * 60_000

/** While events arrive, asking is the safety net. */
const WITH_EVENTS = 6
const LONGEST_WITH_EVENTS_MS = 30 * 60_000

/** In whole milliseconds: the journal takes no others. */
export const pollIntervalMs = (polls: number, baseSeconds: number, eventsArrive = false): number => {
  const baseMs = baseSeconds * 1000
  const longestMs = eventsArrive ? LONGEST_WITH_EVENTS_MS : LONGEST_MS
  const wantedMs = baseMs * GROWTH ** Math.min(polls, 20) * (eventsArrive ? WITH_EVENTS : 1)
  return Math.round(Math.min(wantedMs, Math.max(longestMs, baseMs)))
}

/** The soonest that a service is through with a recording: asked sooner, it can only say that it is not. */
const FIRST_POLL_MS = 2_000

/** After its completion; where an event is to come, the first question is the safety net too. */
export const firstPollMs = (baseSeconds: number, eventsArrive: boolean): number =>
  eventsArrive ? pollIntervalMs(0, baseSeconds, true) : Math.min(baseSeconds * 1000, FIRST_POLL_MS)

/** Looks fall together in steps of this share of their wait: one page of the list then tells of many. */
const STEP_SHARE = 0.25

/**
 * When to look after a wait: a little later, with others. `phase` is a station's own, from 0 to 1: were the steps the
 * same everywhere, fifty stations would ask in the same moment.
 */
export const pollAtMs = (nowMs: number, gapMs: number, phase: number): number => {
  if (gapMs <= 0) return Math.round(nowMs)
  const stepMs = Math.max(1, gapMs * STEP_SHARE)
  const offsetMs = phase * stepMs
  return Math.round(Math.ceil((nowMs + gapMs - offsetMs) / stepMs) * stepMs + offsetMs)
}

/** A way that has carried no event for so long is not relied on. */
export const EVENTS_FRESH_MS = 3_600_000
/** An event that is not there so long after its session's end did not arrive. */
export const EVENT_LATE_MS = 60_000

export type EventFacts = {
  /** The receiver is open, and has a secret to verify with. */
  readonly listening: boolean
  readonly lastEventAtMs: number | null
  /** When a session last came to its end without its event. */
  readonly lastMissedAtMs: number | null
}

/** Events are relied on while they arrive: one within the hour, and none missed since. */
export const eventsArrive = (facts: EventFacts, nowMs: number): boolean => {
  const { listening, lastEventAtMs, lastMissedAtMs } = facts
  if (!listening || lastEventAtMs === null) return false
  const ageMs = nowMs - lastEventAtMs
  // In the future: the clock was set back, and nothing is known.
  if (ageMs < 0 || ageMs >= EVENTS_FRESH_MS) return false
  return lastMissedAtMs === null || lastMissedAtMs < lastEventAtMs
}
