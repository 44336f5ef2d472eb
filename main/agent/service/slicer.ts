/**
 * Cuts chunks into slices that the connection sends in well under a second. On a slow connection, the write of a whole
 * chunk could take minutes and look like a dead connection. A fast connection soon gets whole chunks.
 */
export type Slicer = {
  /** Takes a chunk and returns its first slice; null for an empty chunk. */
  readonly take: (chunk: Uint8Array) => Uint8Array | null
  /** The next slice of the current chunk, or null. Call it after the previous slice was sent. */
  readonly next: () => Uint8Array | null
}

const FIRST_SLICE_BYTES = 128 * 1024
const SMALLEST_SLICE_BYTES = 16 * 1024
const LARGEST_SLICE_BYTES = 4 * 1024 * 1024
const FAST_SLICE_MS = 100
const SLOW_SLICE_MS = 500

export const createSlicer = (monotonicMs: () => number): Slicer => {
  let sliceBytes = FIRST_SLICE_BYTES
  let unsentChunk: Uint8Array | null = null
  let sliceStartedAtMs: number | null = null

  const adapt = () => {
    if (sliceStartedAtMs === null) return
    const tookMs = monotonicMs() - sliceStartedAtMs
    sliceStartedAtMs = null
    if (tookMs < FAST_SLICE_MS) sliceBytes = Math.min(LARGEST_SLICE_BYTES, sliceBytes * 2)
    else if (tookMs > SLOW_SLICE_MS) sliceBytes = Math.max(SMALLEST_SLICE_BYTES, sliceBytes / 2)
  }
  const cut = (): Uint8Array | null => {
    if (unsentChunk === null || unsentChunk.byteLength === 0) return null
    const slice = unsentChunk.byteLength <= sliceBytes ? unsentChunk : unsentChunk.subarray(0, sliceBytes)
    unsentChunk = slice.byteLength === unsentChunk.byteLength ? null : unsentChunk.subarray(slice.byteLength)
    sliceStartedAtMs = monotonicMs()
    return slice
  }
  return {
    take: (chunk) => {
      unsentChunk = chunk
      return cut()
    },
    next: () => {
      adapt()
      return cut()
    },
  }
}
