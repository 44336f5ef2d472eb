import { crc32 } from 'node:zlib'

/** What a disk reads at once anyway. */
const sampleBytes = 4096
/** In cache this many are read in some milliseconds, and from a turning disk in seconds; the whole file took hours. */
const mostSamples = 2048
const firstStride = 4
/** How many are looked at again while the file grows. */
const glanceSamples = 8

type Sample = { readonly position: number; readonly crc: number }

/** Reads at most this many bytes; fewer at the file's end. */
export type ReadAt = (position: number, length: number) => Uint8Array

/**
 * Small pieces of what was hashed, to tell later, without reading all of it again, whether somebody wrote over it:
 * the very beginning, where formats keep what they fill in at the end, and places that nobody can foresee. A checksum
 * is enough: this is about programs that write, not about people who deceive; those meet the storage's check (§4.2).
 */
export class ContentSamples {
  readonly #random: () => number
  #samples: Sample[] = []
  #stride = firstStride

  constructor(random: () => number) {
    this.#random = random
  }

  get count(): number {
    return this.#samples.length
  }

  /** Of the bytes as they were hashed, not of a second read. `index` counts stretches of one length from 0. */
  take(index: number, position: number, bytes: Uint8Array): void {
    if (index % this.#stride !== 0) return
    const room = Math.max(0, bytes.length - sampleBytes)
    const offset = index === 0 ? 0 : Math.floor(this.#random() * room)
    const crc = crc32(bytes.subarray(offset, offset + sampleBytes))
    this.#samples.push({ position: position + offset, crc })
    if (this.#samples.length <= mostSamples) return
    // Twice as far apart, so that the longest file needs no more memory and no more time.
    this.#samples = this.#samples.filter((_, at) => at % 2 === 0)
    this.#stride *= 2
  }

  /** The beginning and a few others; where the content is another one now, or null. */
  glance(read: ReadAt): number | null {
    const others = Array.from(
      { length: Math.min(glanceSamples, this.count) },
      () => this.#samples[Math.floor(this.#random() * this.count)]!,
    )
    return firstDifference([...this.#samples.slice(0, 1), ...others], read)
  }

  /** All of them. */
  compare(read: ReadAt): number | null {
    return firstDifference(this.#samples, read)
  }
}

const firstDifference = (samples: readonly Sample[], read: ReadAt): number | null =>
  samples.find(({ position, crc }) => crc32(read(position, sampleBytes)) !== crc)?.position ?? null
