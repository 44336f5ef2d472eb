import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSlicer } from '../../../../../main/agent/service/slicer.ts'

const sliceAll = (chunkBytes: readonly number[], sendMs: (bytes: number) => number) => {
  let nowMs = 0
  const slicer = createSlicer(() => nowMs)
  const sizes: number[] = []
  for (const bytes of chunkBytes) {
    for (let slice = slicer.take(new Uint8Array(bytes)); slice !== null; slice = slicer.next()) {
      sizes.push(slice.byteLength)
      nowMs += sendMs(slice.byteLength)
    }
  }
  return sizes
}

test('a fast line soon gets whole chunks', () => {
  const sizes = sliceAll(Array(10).fill(1_048_576), () => 1)
  expect(sizes.slice(-9)).toEqual(Array(9).fill(1_048_576))
})

test('a line of 80 kbit/s gets slices that take seconds, not minutes', () => {
  const msFor = (bytes: number) => bytes / 10
  const sizes = sliceAll([1_048_576, 1_048_576], msFor)
  expect(Math.max(...sizes.map(msFor))).toBeLessThan(15_000)
  expect(Math.max(...sizes.slice(-10).map(msFor))).toBeLessThan(2000)
})

test('loses and repeats no byte, at any speed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(3_000_000), { maxLength: 8 }),
      fc.double({ min: 0, max: 0.05, noNaN: true }),
      (chunks, msPerByte) => {
        const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
        expect(sum(sliceAll(chunks, (bytes) => bytes * msPerByte))).toBe(sum(chunks))
      },
    ),
    { numRuns: 50 },
  )
})
