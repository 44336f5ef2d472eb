const LENGTH_BYTES = 4

/** One message as a frame: its length in four bytes, then JSON. */
export const frameOf = (message: unknown): Buffer => {
  const body = Buffer.from(JSON.stringify(message), 'utf8')
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length)
  frame.writeUInt32BE(body.length)
  body.copy(frame, LENGTH_BYTES)
  return frame
}

/** The peer broke the protocol, so the connection cannot be used any more. */
class BrokenFrameError extends Error {}

/**
 * Cuts a stream of bytes into messages. If a frame is too long, `next` throws as soon as the length of the frame has
 * arrived.
 */
export class FrameReader {
  /** The received bytes, followed by free space. */
  #buffer = Buffer.alloc(0)
  #bytes = 0
  maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Copies the chunk into one buffer, because a frame that arrives byte by byte would need one buffer per byte. */
  push(chunk: Buffer): void {
    const needed = this.#bytes + chunk.length
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes))
      this.#buffer.copy(larger, 0, 0, this.#bytes)
      this.#buffer = larger
    }
    chunk.copy(this.#buffer, this.#bytes)
    this.#bytes = needed
  }

  /** The next whole message, or undefined until more bytes arrive. Throws a BrokenFrameError. */
  next(): { readonly message: unknown } | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined
    const length = this.#buffer.readUInt32BE()
    if (length > this.maxBytes) throw new BrokenFrameError(`a frame of ${length} bytes`)
    const end = LENGTH_BYTES + length
    if (this.#bytes < end) return undefined
    const text = this.#buffer.toString('utf8', LENGTH_BYTES, end)
    // Do not move the remaining bytes here, because each small frame would copy them again. `push` moves them when the
    // buffer grows.
    this.#buffer = this.#bytes === end ? Buffer.alloc(0) : this.#buffer.subarray(end)
    this.#bytes -= end
    try {
      return { message: JSON.parse(text) }
    } catch {
      throw new BrokenFrameError('a frame that is not JSON')
    }
  }
}
