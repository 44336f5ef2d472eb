import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  LARGEST_PART_BYTES,
  LARGEST_RECORDING_BYTES,
  MOST_PARTS,
  partCount,
  partRange,
  planPartSize,
  SMALLEST_PART_BYTES,
} from '../../main/agent/domain/part-plan.ts'

const anySize = fc.oneof(
  fc.integer({ min: 1, max: 200_000_000 }),
  fc.integer({ min: 1, max: LARGEST_RECORDING_BYTES }),
)
const anyWish = fc.option(fc.integer({ min: 1, max: 1_000_000_000 }), { nil: undefined })

test('every plan is inside both readings of 8 MB to 512 MB, and has at most 10,000 parts', () => {
  fc.assert(
    fc.property(anySize, anyWish, (size, wish) => {
      const partSize = planPartSize(size, wish)
      expect(partSize).not.toBeNull()
      expect(partSize!).toBeGreaterThanOrEqual(SMALLEST_PART_BYTES)
      expect(partSize!).toBeLessThanOrEqual(LARGEST_PART_BYTES)
      expect(partCount(size, partSize!)).toBeLessThanOrEqual(MOST_PARTS)
    }),
  )
})

test('the parts cover the file exactly, without gap or overlap, and only the last may be short', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000_000_000 }), anyWish, (size, wish) => {
      const partSize = planPartSize(size, wish)!
      const total = partCount(size, partSize)
      let end = 0
      for (let number = 1; number <= total; number += 1) {
        const range = partRange(size, partSize, number)
        expect(range.start).toBe(end)
        if (number < total) expect(range.length).toBe(partSize)
        expect(range.length).toBeGreaterThan(0)
        end = range.start + range.length
      }
      expect(end).toBe(size)
    }),
    { numRuns: 50 },
  )
})

test('a recording that no cut can carry is refused', () => {
  expect(planPartSize(LARGEST_RECORDING_BYTES)).not.toBeNull()
  expect(planPartSize(LARGEST_RECORDING_BYTES + 1)).toBeNull()
})
