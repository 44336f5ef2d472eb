import { crc32 } from 'node:zlib'

/** The smallest block that a disk reads. */
const SAMPLE_BYTES = 4096
/**
 * Reading this many samples takes milliseconds from the cache and seconds from a spinning disk. Reading the whole of a
 * long recording can take hours.
 */
const MAX_SAMPLES = 2048
const FIRST_STRIDE = 4
/** While the file grows, each check reads this many random samples, and the first and the last one. */
const SPOT_CHECK_SAMPLES = 8

type Sample = { readonly position: number; readonly crc: number }

/** Reads `length` bytes; fewer at the end of the file. */
export type ReadAt = (position: number, length: number) => Uint8Array

/**
 * Small samples of the hashed bytes. They show later whether a program overwrote hashed content, without reading
 * everything again. The first one is the start of the file, where many recorders fill in fields at the end. The last
 * one is the end of the hashed bytes, which detects a file that was truncated and grew again. The others are at random
 * places. A CRC is enough, because the storage's checksum stops attackers (§4.2).
 */
export class ContentSamples {
  readonly #random: () => number
  #samples: Sample[] = []
  #last: Sample | null = null
  #stride = FIRST_STRIDE

  constructor(random: () => number) {
    this.#random = random
  }

  get count(): number {
    return this.#samples.length
  }

  /** Adds a sample. `index` counts blocks of equal length from 0. */
  take(index: number, position: number, bytes: Uint8Array): void {
    const end = Math.max(0, bytes.length - SAMPLE_BYTES)
    this.#last = { position: position + end, crc: crc32(bytes.subarray(end)) }
    if (index % this.#stride !== 0) return
    const offset = index === 0 ? 0 : Math.floor(this.#random() * end)
    const crc = crc32(bytes.subarray(offset, offset + SAMPLE_BYTES))
    this.#samples.push({ position: position + offset, crc })
    if (this.#samples.length <= MAX_SAMPLES) return
    // Drop every second sample, so that a long file needs no more samples than a short one.
    this.#samples = this.#samples.filter((_, sampleIndex) => sampleIndex % 2 === 0)
    this.#stride *= 2
  }

  /** Checks the first, the last and a few random samples. Returns the position of a change, or null. */
  spotCheck(read: ReadAt): number | null {
    const others = Array.from(
      { length: Math.min(SPOT_CHECK_SAMPLES, this.count) },
      () => this.#samples[Math.floor(this.#random() * this.count)]!,
    )
    return findFirstDifference([...this.#samples.slice(0, 1), ...others, ...this.#end], read)
  }

  /** Checks all samples. Returns the position of the first change, or null. */
  compare(read: ReadAt): number | null {
    return findFirstDifference([...this.#samples, ...this.#end], read)
  }

  get #end(): readonly Sample[] {
    return this.#last === null ? [] : [this.#last]
  }
}

const findFirstDifference = (samples: readonly Sample[], read: ReadAt): number | null =>
  samples.find(({ position, crc }) => crc32(read(position, SAMPLE_BYTES)) !== crc)?.position ?? null
