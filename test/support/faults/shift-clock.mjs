// Loaded into the agent before its own code: its wall clock is off by the seconds in a file, which a test may change
// while it runs. The monotonic clock and the times of files stay as they are.
import { readFileSync, watchFile } from 'node:fs'

const file = process.env.SHIFT_CLOCK_FILE ?? ''
const aLookMs = 50
const read = () => Number(readFileSync(file, 'utf8')) * 1_000

let shiftMs = read()
watchFile(file, { interval: aLookMs, persistent: false }, () => {
  shiftMs = read()
})

const Right = Date
class Shifted extends Right {
  /** @param {readonly unknown[]} given */
  constructor(...given) {
    // As the built-in takes them, whatever they are.
    super(.../** @type {[number]} */ (given.length === 0 ? [Right.now() + shiftMs] : given))
  }

  /** @override */
  static now() {
    return Right.now() + shiftMs
  }
}

Object.assign(globalThis, { Date: Shifted })
