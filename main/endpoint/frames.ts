const LENGTH_BYTES = 4

/** One message as a frame: its length in four bytes, then JSON. */
export const frameOf = (message: unknown): Buffer => {
  const body = Buffer.from(JSON.stringify(message), 'utf8')
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length)
  frame.writeUInt32BE(body.length)
  body.copy(frame, LENGTH_BYTES)
  return frame
}

/** The other side broke the rules of the protocol. The connection cannot be used any more. */
class BrokenFrameError extends Error {}

/** Cuts a stream of bytes into messages. It refuses a frame above the limit before it has stored any of its bytes. */
export class FrameReader {
  #chunks: Buffer[] = []
  #bytes = 0
  maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }

  /** The next whole message, or undefined until more bytes arrive. Throws a BrokenFrameError. */
  next(): { readonly message: unknown } | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined
    const first = this.#chunks[0]
    const head = first !== undefined && first.length >= LENGTH_BYTES ? first : this.#join()
    const length = head.readUInt32BE()
    if (length > this.maxBytes) throw new BrokenFrameError(`a frame of ${length} bytes`)
    if (this.#bytes < LENGTH_BYTES + length) return undefined
    const whole = this.#join()
    const body = whole.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
    const rest = whole.subarray(LENGTH_BYTES + length)
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#bytes = rest.length
    try {
      return { message: JSON.parse(body.toString('utf8')) }
    } catch {
      throw new BrokenFrameError('a frame that is not JSON')
    }
  }

  #join(): Buffer {
    const whole = Buffer.concat(this.#chunks)
    this.#chunks = [whole]
    return whole
  }
}
