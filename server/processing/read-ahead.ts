export type Read = (offset: number, length: number) => Promise<Uint8Array>

const firstReadAheadBytes = 16 * 1024
/** An instance inspects one recording at a time, so a window of this size takes little memory. */
const maxReadAheadBytes = 1024 * 1024
/**
 * The largest gap, such as a skipped picture, behind which a read still reads ahead. Reading the gap takes less time
 * than a request.
 */
const maxGapBytes = 256 * 1024

/**
 * Some inspectors read a recording without an index from start to end, in small reads. In S3, each read is a request
 * that takes milliseconds, so an inspection would reach its time limit after a few megabytes. So a read that starts
 * close behind the previous one reads ahead: 16 KiB at first, then twice as much each time, up to `maxReadAheadBytes`.
 * A read elsewhere fetches only what it needs.
 */
export function readAhead(read: Read, size: number): Read {
  let window: Uint8Array = new Uint8Array()
  let windowStart = size
  let readAheadBytes = 0
  return async (offset, length) => {
    const from = offset - windowStart
    const wanted = Math.min(length, Math.max(0, size - offset))
    if (from >= 0 && from + wanted <= window.length) return window.subarray(from, from + wanted)
    const distance = offset - (windowStart + window.length)
    const isNear = from >= 0 && distance <= Math.max(readAheadBytes, maxGapBytes)
    readAheadBytes = isNear
      ? Math.min(Math.max(firstReadAheadBytes, 2 * readAheadBytes), maxReadAheadBytes)
      : 0
    const bytes = await read(offset, Math.min(Math.max(wanted, readAheadBytes), Math.max(0, size - offset)))
    if (wanted >= maxReadAheadBytes) return bytes
    window = bytes
    windowStart = offset
    return window.subarray(0, wanted)
  }
}
