import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  findPartSizeProblem,
  LARGEST_PART_BYTES,
  LARGEST_RECORDING_BYTES,
  MAX_PARTS,
  partCount,
  partRange,
  planGrowingPartSize,
  planPartSize,
  SMALLEST_PART_BYTES,
} from '../../../../../main/agent/domain/part-plan.ts'

const anySize = fc.oneof(
  fc.integer({ min: 1, max: 200_000_000 }),
  fc.integer({ min: 1, max: LARGEST_RECORDING_BYTES }),
)
const anyPartSize = fc.option(fc.integer({ min: 1, max: 1_000_000_000 }), { nil: undefined })

test('every part plan has at most 10,000 parts, and a part size from 8 MB to 512 MB in both decimal and binary units', () => {
  fc.assert(
    fc.property(anySize, anyPartSize, (size, requestedBytes) => {
      const partSizeBytes = planPartSize(size, requestedBytes)
      expect(partSizeBytes).not.toBeNull()
      expect(partSizeBytes!).toBeGreaterThanOrEqual(SMALLEST_PART_BYTES)
      expect(partSizeBytes!).toBeLessThanOrEqual(LARGEST_PART_BYTES)
      expect(partCount(size, partSizeBytes!)).toBeLessThanOrEqual(MAX_PARTS)
    }),
  )
})

test('the parts cover the file exactly, without gap or overlap, and only the last part may be smaller', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000_000_000 }), anyPartSize, (size, requestedBytes) => {
      const partSizeBytes = planPartSize(size, requestedBytes)!
      const total = partCount(size, partSizeBytes)
      let end = 0
      for (let number = 1; number <= total; number += 1) {
        const range = partRange(size, partSizeBytes, number)
        expect(range.start).toBe(end)
        if (number < total) expect(range.length).toBe(partSizeBytes)
        expect(range.length).toBeGreaterThan(0)
        end = range.start + range.length
      }
      expect(end).toBe(size)
    }),
    { numRuns: 50 },
  )
})

test('refuses a recording that is too large for any part plan', () => {
  expect(planPartSize(LARGEST_RECORDING_BYTES)).not.toBeNull()
  expect(planPartSize(LARGEST_RECORDING_BYTES + 1)).toBeNull()
})

test.each([
  [1, 1, null],
  [100, 1, 'parts of 1 bytes'],
  [100, 0, 'parts of 0 bytes'],
  [100, -8, 'parts of -8 bytes'],
  [100, 1.5, 'parts of 1.5 bytes'],
  [100, Number.NaN, 'parts of NaN bytes'],
  [100, 4096, null],
  [20_000_000, 8_000_000, null],
  [20_000_000, 7_999_999, 'parts of 7999999 bytes'],
  [600_000_000, 536_870_912, null],
  [600_000_000, 536_870_913, 'parts of 536870913 bytes'],
  [100, 1e15, null],
  [80_000_000_000, 8_000_000, null],
  [80_000_000_001, 8_000_000, '10001 parts of 8000000 bytes'],
])('§8: the problem of %i bytes in parts of %d bytes is: %s', (sizeBytes, partSizeBytes, problem) => {
  expect(findPartSizeProblem(sizeBytes, partSizeBytes)).toBe(problem)
})

test('a growing file keeps its part size while the parts fit, and changes it at most once per doubling', () => {
  fc.assert(
    fc.property(anyPartSize, fc.integer({ min: 1, max: 4_000_000_000 }), (requestedBytes, growthBytes) => {
      let partSizeBytes: number | undefined
      const partSizes: number[] = []
      for (
        let size = growthBytes;
        size <= LARGEST_RECORDING_BYTES;
        size += Math.max(growthBytes, Math.floor(size / 8))
      ) {
        const nextPartSize = planGrowingPartSize(size, requestedBytes, partSizeBytes)!
        expect(partCount(size, nextPartSize)).toBeLessThanOrEqual(MAX_PARTS)
        expect(findPartSizeProblem(size, nextPartSize)).toBeNull()
        if (nextPartSize !== partSizeBytes) partSizes.push(nextPartSize)
        partSizeBytes = nextPartSize
      }
      // The first part size is that of a finished file. So Sluice hashes nothing twice, unless the file grows beyond
      // 10,000 parts.
      expect(partSizes[0]).toBe(planPartSize(growthBytes, requestedBytes))
      expect(partSizes.length).toBeLessThanOrEqual(8)
    }),
  )
  expect(planGrowingPartSize(LARGEST_RECORDING_BYTES + 1)).toBeNull()
})
