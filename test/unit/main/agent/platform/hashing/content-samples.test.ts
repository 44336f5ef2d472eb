import { describe, expect, it } from 'vitest'
import { ContentSamples } from '../../../../../../main/agent/platform/hashing/content-samples.ts'

const STRETCH = 64 * 1024

/** A file in memory, hashed range by range. */
const sampled = (stretches: number, random: () => number = Math.random) => {
  const content = Buffer.alloc(stretches * STRETCH, 'what the recorder wrote ')
  const samples = new ContentSamples(random)
  for (let index = 0; index < stretches; index += 1)
    samples.take(index, index * STRETCH, content.subarray(index * STRETCH, (index + 1) * STRETCH))
  return { content, samples, read: (at: number, length: number) => content.subarray(at, at + length) }
}

describe('samples of hashed content', () => {
  it('find no change in a file that only grew', () => {
    const { samples, read } = sampled(100)
    expect(samples.spotCheck(read)).toBeNull()
    expect(samples.compare(read)).toBeNull()
  })

  it('find changed first bytes in every spot check', () => {
    const { content, samples, read } = sampled(1000)
    content.writeUInt32LE(content.length - 8, 4)
    expect(samples.spotCheck(read)).toBe(0)
  })

  it('find an overwritten part, wherever it is', () => {
    const { content, samples, read } = sampled(400)
    content.fill('other', 300 * STRETCH, 310 * STRETCH)
    expect(samples.compare(read)).toBeGreaterThanOrEqual(300 * STRETCH)
  })

  it('find a truncation', () => {
    const { content, samples } = sampled(100)
    const cut = content.subarray(0, 10 * STRETCH)
    expect(samples.compare((at, length) => cut.subarray(at, at + length))).not.toBeNull()
  })

  it('stay few and evenly spread, however long the recording is', () => {
    const samples = new ContentSamples(() => 0)
    const stretch = new Uint8Array(4096)
    for (let index = 0; index < 1_000_000; index += 1) samples.take(index, index * 4096, stretch)
    expect(samples.count).toBeLessThanOrEqual(2048)
    expect(samples.count).toBeGreaterThan(900)
    const read: number[] = []
    samples.compare((position) => {
      read.push(position)
      return stretch
    })
    const gaps = read.slice(1).map((position, at) => position - read[at]!)
    expect(new Set(gaps).size).toBe(1)
    expect(read.at(-1)).toBeGreaterThan(998_000 * 4096)
  })
})
