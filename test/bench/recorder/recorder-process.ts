import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * A simulated recorder. It writes a file at a steady rate, or as fast as the drive allows, and prints the result. It is
 * a separate process, like a real recorder.
 */

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    megabytes: { type: 'string' },
    /** Megabytes per second. Without this option, the recorder writes as fast as the drive allows. */
    rate: { type: 'string' },
    /** Syncs after every so many megabytes, so that the bench measures the drive and not the cache. */
    sync: { type: 'string' },
    /** Overwrites the existing file, because allocating new space takes an unpredictable time. */
    overwrite: { type: 'boolean' },
  },
})

const MB = 1_000_000
const blocks = Number(values.megabytes)
const perSecond = Number(values.rate ?? 0)
const syncEvery = Number(values.sync ?? 0)
const block = crypto.getRandomValues(Buffer.alloc(65_536))
const megabyte = Buffer.concat(Array.from({ length: 16 }, () => block)).subarray(0, MB)
const pause = new Int32Array(new SharedArrayBuffer(4))

const fd = openSync(values.file ?? '', values.overwrite === true ? 'r+' : 'w')
const startedMs = performance.now()
let slowestMs = 0
for (let n = 0; n < blocks; n += 1) {
  if (perSecond > 0) {
    const waitMs = startedMs + (n * 1000) / perSecond - performance.now()
    if (waitMs > 0) Atomics.wait(pause, 0, 0, waitMs)
  }
  const beforeMs = performance.now()
  // Every megabyte is different, so that reading at a wrong offset gives a wrong digest.
  megabyte.writeUInt32LE(n)
  writeSync(fd, megabyte)
  if (syncEvery > 0 && n % syncEvery === syncEvery - 1) fdatasyncSync(fd)
  slowestMs = Math.max(slowestMs, performance.now() - beforeMs)
}
if (syncEvery > 0) fdatasyncSync(fd)
const tookMs = performance.now() - startedMs
closeSync(fd)
process.stdout.write(`${JSON.stringify({ tookMs, slowestMs, endedAtMs: Date.now() })}\n`)
