/**
 * A quarter of Linux's default queue length. Sluice does not count the events of folders that are no longer watched,
 * although these also fill the queue.
 */
const BURST_EVENTS = 4_096

export type EventQueue = {
  readonly count: () => void
  /** Calls `listener` after each burst, until the returned function is called. */
  readonly onBurst: (listener: () => void) => () => void
}

/**
 * libuv uses one event queue of Linux for all folders that a thread watches. Linux drops events when the queue is full,
 * and libuv does not report the loss. Each turn of the event loop empties the queue. So after many events in one turn,
 * events of any folder may be lost.
 */
export const createEventQueue = (): EventQueue => {
  const listeners = new Set<() => void>()
  let eventsThisTurn = 0

  /** The queue is empty now. A scan finds the files whose events were dropped. */
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
