/**
 * The memory that the reading thread, the part-hashing thread and the pool share. Both hash threads work on the
 * same bytes of one read; counters are in slots, because 2 TB in bytes would not fit 32 bits.
 */

export const slotBytes = 1024 * 1024
export const slotCount = 8

const filled = 0
const emptied = 1
const stopped = 2
const gentle = 3
const beats = 4
const ownCopies = 5

const restSliceMs = 250

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
  /** Changes while either thread gets anywhere. */
  readonly pulse: () => number
  /** Got somewhere without a slot. */
  readonly beat: () => void
  readonly fill: () => void
  readonly empty: () => void
  /** Blocks the calling thread; false when the work was stopped meanwhile. */
  readonly waitForRoom: (index: number) => boolean
  readonly waitForData: (index: number) => boolean
  readonly stop: () => void
  readonly isStopped: () => boolean
  readonly setGentle: (on: boolean) => void
  readonly isGentle: () => boolean
  /** Of the file's drive: what own-copies.ts says of it. */
  readonly setOwnCopies: (state: number) => void
  readonly ownCopies: () => number
  /** Recorder first: blocks for so long, while gentle. Ends soon when the recorder has ended, or the work. */
  readonly rest: (ms: number, isWanted?: () => boolean) => void
  /** Only between two jobs, when neither thread looks. */
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
      // The time limit is for a stop that comes between the check above and this wait.
      Atomics.wait(control, at, value, 100)
    }
    return false
  }
  return {
    slot: (index, length) => new Uint8Array(ring.slots, (index % slotCount) * slotBytes, length),
    filledSlots: () => load(filled),
    emptiedSlots: () => load(emptied),
    pulse: () => load(filled) + load(emptied) + load(beats),
    beat: () => void Atomics.add(control, beats, 1),
    fill: () => bump(filled),
    empty: () => bump(emptied),
    waitForRoom: (index) => waitUntil(emptied, (value) => index - value < slotCount),
    waitForData: (index) => waitUntil(filled, (value) => value > index),
    stop: () => {
      Atomics.store(control, stopped, 1)
      Atomics.store(control, gentle, 0)
      for (const at of [filled, emptied, stopped, gentle]) Atomics.notify(control, at)
    },
    isStopped,
    setGentle: (on) => {
      if (isStopped()) return
      Atomics.store(control, gentle, on ? 1 : 0)
      Atomics.notify(control, gentle)
    },
    isGentle: () => load(gentle) !== 0,
    setOwnCopies: (state) => void Atomics.store(control, ownCopies, state),
    ownCopies: () => load(ownCopies),
    rest: (ms, isWanted = () => load(gentle) !== 0) => {
      const endMs = performance.now() + ms
      for (let leftMs = ms; leftMs > 0 && !isStopped() && isWanted(); leftMs = endMs - performance.now()) {
        Atomics.wait(control, gentle, load(gentle), Math.min(leftMs, restSliceMs))
        // To rest is no silence.
        Atomics.add(control, beats, 1)
      }
    },
    reset: () => control.fill(0),
  }
}
