import { describe, expect, it } from 'vitest'
import { ContentSamples } from '../../../../../../main/agent/platform/hashing/content-samples.ts'

const RANGE_BYTES = 64 * 1024

/** A file in memory, and the samples of its ranges. */
const createSamples = (ranges: number) => {
  const content = Buffer.alloc(ranges * RANGE_BYTES, 'what the recorder wrote ')
  const samples = new ContentSamples(Math.random)
  for (let index = 0; index < ranges; index += 1)
    samples.take(index, index * RANGE_BYTES, content.subarray(index * RANGE_BYTES, (index + 1) * RANGE_BYTES))
  return { content, samples, read: (at: number, length: number) => content.subarray(at, at + length) }
}

describe('samples of hashed content', () => {
  it('find no change in an unchanged file', () => {
    const { samples, read } = createSamples(100)
    expect(samples.spotCheck(read)).toBeNull()
    expect(samples.compare(read)).toBeNull()
  })

  it('find a change of the first bytes in every spot check', () => {
    const { content, samples, read } = createSamples(1000)
    content.writeUInt32LE(content.length - 8, 4)
    expect(samples.spotCheck(read)).toBe(0)
  })

  it('find an overwritten range anywhere in the file', () => {
    const { content, samples, read } = createSamples(400)
    content.fill('other', 300 * RANGE_BYTES, 310 * RANGE_BYTES)
    expect(samples.compare(read)).toBeGreaterThanOrEqual(300 * RANGE_BYTES)
  })

  it('find a truncation', () => {
    const { content, samples } = createSamples(100)
    const truncated = content.subarray(0, 10 * RANGE_BYTES)
    expect(samples.compare((at, length) => truncated.subarray(at, at + length))).not.toBeNull()
  })

  it('stay few and evenly spread, even for a long recording', () => {
    const samples = new ContentSamples(() => 0)
    const range = new Uint8Array(4096)
    for (let index = 0; index < 100_000; index += 1) samples.take(index, index * 4096, range)
    expect(samples.count).toBeLessThanOrEqual(2048)
    expect(samples.count).toBeGreaterThan(900)
    const positions: number[] = []
    samples.compare((position) => {
      positions.push(position)
      return range
    })
    expect(positions.pop()).toBe(99_999 * 4096)
    const gaps = positions.slice(1).map((position, at) => position - positions[at]!)
    expect(new Set(gaps).size).toBe(1)
    expect(positions.at(-1)).toBeGreaterThan(99_900 * 4096)
  })
})
