// Loaded into the agent before its own code: a file sets the offset of its wall clock in seconds, which a test may
// change at run time. The monotonic clock and file times stay unchanged.
import { readFileSync, watchFile } from 'node:fs'

const file = process.env.SHIFT_CLOCK_FILE ?? ''
const CHECK_INTERVAL_MS = 50
const read = () => Number(readFileSync(file, 'utf8')) * 1_000

let shiftMs = read()
watchFile(file, { interval: CHECK_INTERVAL_MS, persistent: false }, () => {
  shiftMs = read()
})

const Right = Date
class Shifted extends Right {
  /** @param {readonly unknown[]} given */
  constructor(...given) {
    // The arguments of the built-in, unchanged.
    super(.../** @type {[number]} */ (given.length === 0 ? [Right.now() + shiftMs] : given))
  }

  /** @override */
  static now() {
    return Right.now() + shiftMs
  }
}

Object.assign(globalThis, { Date: Shifted })
