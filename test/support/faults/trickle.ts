import { Transform, type TransformCallback } from 'node:stream'

const BYTE_INTERVAL_MS = 1_000

/** Passes one byte per second. After `release`, it passes all waiting bytes at once. */
export class Trickle extends Transform {
  #isReleased = false
  #next: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let offset = 0
    const step = () => {
      clearTimeout(this.#timer)
      if (this.destroyed) return
      const end = this.#isReleased ? chunk.length : offset + 1
      this.push(chunk.subarray(offset, end))
      offset = end
      if (offset >= chunk.length) {
        this.#next = null
        done()
        return
      }
      this.#next = step
      this.#timer = setTimeout(step, BYTE_INTERVAL_MS)
    }
    step()
  }

  release(): void {
    this.#isReleased = true
    this.#next?.()
  }
}
