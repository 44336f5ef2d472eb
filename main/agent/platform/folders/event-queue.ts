/** A quarter of what Linux keeps unless it is told otherwise: the rest may have been of folders nobody hears any more. */
const FLOOD = 4_096

export type EventQueue = {
  /** One more announcement. */
  readonly count: () => void
  /** Called after a flood, until the answer is called. */
  readonly onFlood: (tell: () => void) => () => void
}

/**
 * Linux has one queue for all folders of a process and drops what finds it full, and libuv does not pass on that it
 * did: a thousand files in one folder can silence another. But the queue is read to its end in one turn of the loop,
 * so that many in one turn mean that anything may have gone unsaid, anywhere.
 */
export const createEventQueue = (): EventQueue => {
  const hearers = new Set<() => void>()
  let inThisTurn = 0

  /** The queue has been read by now: whatever it dropped is on the drive, and a look finds it. */
  const endTurn = (): void => {
    const isFlood = inThisTurn >= FLOOD
    inThisTurn = 0
    if (isFlood) for (const tell of hearers) tell()
  }

  return {
    count: () => {
      inThisTurn += 1
      if (inThisTurn === 1) setImmediate(endTurn)
    },
    onFlood: (tell) => {
      hearers.add(tell)
      return () => hearers.delete(tell)
    },
  }
}
