/**
 * Only a quarter of Linux's default queue length, because the rest of a full queue may be events of folders that are no
 * longer watched. Sluice does not count those.
 */
const BURST_EVENTS = 4_096

export type EventQueue = {
  /** Counts one event. */
  readonly count: () => void
  /** Calls `listener` after each burst, until the returned function is called. */
  readonly onBurst: (listener: () => void) => () => void
}

/**
 * libuv uses one event queue of Linux for all folders that a thread watches. Linux drops events when the queue is full,
 * and libuv does not report the loss. So events of one folder can displace an event of another folder. But libuv
 * empties the queue in one turn of the event loop. Therefore a burst of events in one turn means that events of any
 * folder may be lost.
 */
export const createEventQueue = (): EventQueue => {
  const listeners = new Set<() => void>()
  let eventsThisTurn = 0

  /** By now the queue is empty. Files whose events were dropped are on the drive, so a scan finds them. */
  const endTurn = (): void => {
    const isBurst = eventsThisTurn >= BURST_EVENTS
    eventsThisTurn = 0
    if (isBurst) for (const listener of listeners) listener()
  }

  return {
    count: () => {
      eventsThisTurn += 1
      if (eventsThisTurn === 1) setImmediate(endTurn)
    },
    onBurst: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
