/**
 * Hard case: A program changes a folder faster than Sluice can read the events.
 * The agent reads events until Linux's queue is empty, so such a folder would block the whole agent. Sluice stops
 * watching this folder for a minute and scans it instead.
 */

/**
 * Linux's event queue holds 16,384 events by default. If one turn of the event loop delivers more, new events arrive as
 * fast as Sluice reads them.
 */
const STORM_EVENTS = 20_000

/** Counts one event. Returns true if the events of this turn of the event loop are a storm. */
export const createStormCheck = (): (() => boolean) => {
  let eventsThisTurn = 0
  return () => {
    eventsThisTurn += 1
    if (eventsThisTurn === 1)
      setImmediate(() => {
        eventsThisTurn = 0
      })
    return eventsThisTurn > STORM_EVENTS
  }
}

const STORM_CODE = 'ESTORM'

export const stormError = (): NodeJS.ErrnoException =>
  Object.assign(new Error('the folder changes faster than its events can be read'), {
    code: STORM_CODE,
    syscall: 'watch',
  })

export const isStorm = (code: string | null): boolean => code === STORM_CODE
