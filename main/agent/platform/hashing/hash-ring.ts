/**
 * Memory shared by the reading thread, the part-hashing thread and the pool. Both threads hash the bytes of one read.
 * Counters are in slots, because 2 TB in bytes would not fit into 32 bits.
 */

export const slotBytes = 1024 * 1024
export const slotCount = 8

/** Positions in `control`. */
const filled = 0
const emptied = 1
const stopped = 2
const yielding = 3
const heartbeats = 4
const ownCopies = 5

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
  /** Changes whenever either thread makes progress. */
  readonly pulse: () => number
  /** Reports progress that fills no slot. */
  readonly beat: () => void
  readonly fill: () => void
  readonly empty: () => void
  /** Blocks the calling thread; false if the work was stopped. */
  readonly waitForFreeSlot: (index: number) => boolean
  readonly waitForData: (index: number) => boolean
  readonly stop: () => void
  readonly isStopped: () => boolean
  readonly setYielding: (on: boolean) => void
  readonly isYielding: () => boolean
  /** State of our own copies to the file's drive, from own-copies.ts. */
  readonly setOwnCopies: (state: number) => void
  readonly ownCopies: () => number
  /** Blocks the thread while it yields to a recorder. Returns early when the recorder or the work has ended. */
  readonly rest: (ms: number, isWanted?: () => boolean) => void
  /** Only between two jobs, while neither thread uses the ring. */
  readonly reset: () => void
}

export const viewRing = (ring: HashRing): RingView => {
  const control = new Int32Array(ring.control)
  const load = (at: number): number => Atomics.load(control, at)
  const bump = (at: number): void => {
    Atomics.add(control, at, 1)
    Atomics.notify(control, at)
  }
  const isStopped = (): boolean => load(stopped) !== 0
  const waitUntil = (at: number, isEnough: (value: number) => boolean): boolean => {
    while (!isStopped()) {
      const value = load(at)
      if (isEnough(value)) return true
      // The timeout covers a stop between the check above and this wait.
      Atomics.wait(control, at, value, 100)
    }
    return false
  }
  return {
    slot: (index, length) => new Uint8Array(ring.slots, (index % slotCount) * slotBytes, length),
    filledSlots: () => load(filled),
    emptiedSlots: () => load(emptied),
    pulse: () => load(filled) + load(emptied) + load(heartbeats),
    beat: () => void Atomics.add(control, heartbeats, 1),
    fill: () => bump(filled),
    empty: () => bump(emptied),
    waitForFreeSlot: (index) => waitUntil(emptied, (value) => index - value < slotCount),
    waitForData: (index) => waitUntil(filled, (value) => value > index),
    stop: () => {
      Atomics.store(control, stopped, 1)
      Atomics.store(control, yielding, 0)
      for (const at of [filled, emptied, stopped, yielding]) Atomics.notify(control, at)
    },
    isStopped,
    setYielding: (on) => {
      if (isStopped()) return
      Atomics.store(control, yielding, on ? 1 : 0)
      Atomics.notify(control, yielding)
    },
    isYielding: () => load(yielding) !== 0,
    setOwnCopies: (state) => void Atomics.store(control, ownCopies, state),
    ownCopies: () => load(ownCopies),
    rest: (ms, isWanted = () => load(yielding) !== 0) => {
      const endMs = performance.now() + ms
      for (let leftMs = ms; leftMs > 0 && !isStopped() && isWanted(); leftMs = endMs - performance.now()) {
        Atomics.wait(control, yielding, load(yielding), Math.min(leftMs, REST_SLICE_MS))
        // Resting must not look like a hung drive.
        Atomics.add(control, heartbeats, 1)
      }
    },
    reset: () => control.fill(0),
  }
}
