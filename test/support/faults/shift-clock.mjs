// Shifts the wall clock of the agent, which loads this module before its own code. A file contains the offset in
// seconds; a test may change it at run time. The monotonic clock and file times stay unchanged.
import { readFileSync, watchFile } from 'node:fs'

const file = process.env.SHIFT_CLOCK_FILE ?? ''
const CHECK_INTERVAL_MS = 50
const readShiftMs = () => Number(readFileSync(file, 'utf8')) * 1_000

let shiftMs = readShiftMs()
watchFile(file, { interval: CHECK_INTERVAL_MS, persistent: false }, () => {
  shiftMs = readShiftMs()
})

const SystemDate = Date
class ShiftedDate extends SystemDate {
  /** @param {readonly unknown[]} args */
  constructor(...args) {
    // With arguments, `Date` works as usual. Without arguments, it is the shifted current time.
    super(.../** @type {[number]} */ (args.length === 0 ? [SystemDate.now() + shiftMs] : args))
  }

  /** @override */
  static now() {
    return SystemDate.now() + shiftMs
  }
}

Object.assign(globalThis, { Date: ShiftedDate })
