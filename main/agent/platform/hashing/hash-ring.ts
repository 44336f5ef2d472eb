/**
 * Memory shared by the reading thread, the part-hashing thread and the pool. Both threads hash the bytes of the same
 * read. The counters count slots, because a number of bytes may need more than 32 bits.
 */

export const slotBytes = 1024 * 1024
export const slotCount = 8

/** Positions in `control`. */
const FILLED = 0
const EMPTIED = 1
const STOPPED = 2
const YIELDING = 3
const HEARTBEATS = 4
const OWN_COPIES = 5

const REST_SLICE_MS = 250

export type HashRing = {
  readonly slots: SharedArrayBuffer
  readonly control: SharedArrayBuffer
}

export const createHashRing = (): HashRing => ({
  slots: new SharedArrayBuffer(slotBytes * slotCount),
  control: new SharedArrayBuffer(6 * Int32Array.BYTES_PER_ELEMENT),
})

export type RingView = {
  readonly slot: (index: number, length: number) => Uint8Array
  readonly filledSlots: () => number
  readonly emptiedSlots: () => number
  /** Changes whenever a thread makes progress. */
  readonly pulse: () => number
  /** Call this for progress that fills no slot. */
  readonly beat: () => void
  readonly fill: () => void
  readonly empty: () => void
  /** Blocks the calling thread; false if `stop` was called. */
  readonly waitForFreeSlot: (index: number) => boolean
  readonly waitForData: (index: number) => boolean
  readonly stop: () => void
  readonly isStopped: () => boolean
  readonly setYielding: (on: boolean) => void
  readonly isYielding: () => boolean
  /** The state of Sluice's own copies to the file's drive, from `own-copies.ts`. */
  readonly setOwnCopies: (state: number) => void
  readonly ownCopies: () => number
  /**
   * Blocks the calling thread for at most `ms`, to yield to a recorder. Returns early when the recorder stops writing
   * or `stop` is called.
   */
  readonly rest: (ms: number, isWanted?: () => boolean) => void
  /** Call this only between two jobs, while neither thread uses the ring. */
  readonly reset: () => void
}

export const viewRing = (ring: HashRing): RingView => {
  const control = new Int32Array(ring.control)
  const load = (position: number): number => Atomics.load(control, position)
  const bump = (position: number): void => {
    Atomics.add(control, position, 1)
    Atomics.notify(control, position)
  }
  const isStopped = (): boolean => load(STOPPED) !== 0
  const waitUntil = (position: number, isEnough: (value: number) => boolean): boolean => {
    while (!isStopped()) {
      const value = load(position)
      if (isEnough(value)) return true
      // Without the timeout, this would wait forever if `stop` was called just after the check above.
      Atomics.wait(control, position, value, 100)
    }
    return false
  }
  return {
    slot: (index, length) => new Uint8Array(ring.slots, (index % slotCount) * slotBytes, length),
    filledSlots: () => load(FILLED),
    emptiedSlots: () => load(EMPTIED),
    pulse: () => load(FILLED) + load(EMPTIED) + load(HEARTBEATS),
    beat: () => void Atomics.add(control, HEARTBEATS, 1),
    fill: () => bump(FILLED),
    empty: () => bump(EMPTIED),
    waitForFreeSlot: (index) => waitUntil(EMPTIED, (value) => index - value < slotCount),
    waitForData: (index) => waitUntil(FILLED, (value) => value > index),
    stop: () => {
      Atomics.store(control, STOPPED, 1)
      Atomics.store(control, YIELDING, 0)
      for (const position of [FILLED, EMPTIED, STOPPED, YIELDING]) Atomics.notify(control, position)
    },
    isStopped,
    setYielding: (on) => {
      if (isStopped()) return
      Atomics.store(control, YIELDING, on ? 1 : 0)
      Atomics.notify(control, YIELDING)
    },
    isYielding: () => load(YIELDING) !== 0,
    setOwnCopies: (state) => void Atomics.store(control, OWN_COPIES, state),
    ownCopies: () => load(OWN_COPIES),
    rest: (ms, isWanted = () => load(YIELDING) !== 0) => {
      const endMs = performance.now() + ms
      for (let leftMs = ms; leftMs > 0 && !isStopped() && isWanted(); leftMs = endMs - performance.now()) {
        Atomics.wait(control, YIELDING, load(YIELDING), Math.min(leftMs, REST_SLICE_MS))
        // Resting must not look like a hung drive.
        Atomics.add(control, HEARTBEATS, 1)
      }
    },
    reset: () => control.fill(0),
  }
}
