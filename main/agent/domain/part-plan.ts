/**
 * Hard case: The service asks for a part size outside the contract’s limits.
 * Only this recording is affected. Sluice gives up the session and creates a new one every hour.
 */

/**
 * How a recording is cut. §8 allows "8 MB to 512 MB" without saying which megabyte, so a size inside both
 * readings is used. S3-like stores allow 10,000 parts.
 */
export const SMALLEST_PART_BYTES = 8 * 1024 * 1024
export const LARGEST_PART_BYTES = 512_000_000
export const MOST_PARTS = 10_000
const DEFAULT_PART_BYTES = 64 * 1024 * 1024
const MIB = 1024 * 1024

export const LARGEST_RECORDING_BYTES = Math.floor(LARGEST_PART_BYTES / MIB) * MIB * MOST_PARTS

/** Null where the recording is larger than any allowed cut can carry. */
export const planPartSize = (sizeBytes: number, wishBytes?: number): number | null => {
  if (sizeBytes > LARGEST_RECORDING_BYTES) return null
  const wish = Math.min(Math.max(wishBytes ?? DEFAULT_PART_BYTES, SMALLEST_PART_BYTES), LARGEST_PART_BYTES)
  const needed = Math.ceil(sizeBytes / MOST_PARTS)
  return needed <= wish ? wish : Math.ceil(needed / MIB) * MIB
}

/**
 * For a file that still grows, whose end nobody knows. Its parts are cut for the size of now, which is right for all
 * that fits into 10,000 parts of the usual size. One that outgrows its cut gets parts for twice its size, so that it
 * is begun again once with every doubling and not with every mebibyte that a part would have to be larger: digests of
 * parts do not combine into those of larger ones. `cut` is the part size that it is being hashed with.
 */
export const planGrowingPartSize = (sizeBytes: number, wishBytes?: number, cut?: number): number | null => {
  const needed = planPartSize(sizeBytes, wishBytes)
  if (needed === null) return null
  if (cut !== undefined && cut >= needed) return cut
  if (needed === planPartSize(0, wishBytes)) return needed
  return planPartSize(Math.min(2 * sizeBytes, LARGEST_RECORDING_BYTES), wishBytes)
}

/** The widest reading of §8: "8 MB" may be 8,000,000 bytes and "512 MB" 536,870,912. */
const SMALLEST_ALLOWED_BYTES = 8_000_000
const LARGEST_ALLOWED_BYTES = 512 * MIB

/** Why a file cannot be cut as the service wants it, or null. The last part may be smaller (§8). */
export const whyImpossible = (sizeBytes: number, partSizeBytes: number): string | null => {
  if (!Number.isSafeInteger(partSizeBytes) || partSizeBytes < 1) return `parts of ${partSizeBytes} bytes`
  const parts = partCount(sizeBytes, partSizeBytes)
  if (parts > MOST_PARTS) return `${parts} parts of ${partSizeBytes} bytes`
  if (partSizeBytes > LARGEST_ALLOWED_BYTES && sizeBytes > LARGEST_ALLOWED_BYTES)
    return `parts of ${partSizeBytes} bytes`
  return parts > 1 && partSizeBytes < SMALLEST_ALLOWED_BYTES ? `parts of ${partSizeBytes} bytes` : null
}

export type PartRange = { readonly number: number; readonly start: number; readonly length: number }

export const partCount = (sizeBytes: number, partSizeBytes: number): number =>
  Math.ceil(sizeBytes / partSizeBytes)

/** Numbered from 1 (§2.3). */
export const partRange = (sizeBytes: number, partSizeBytes: number, number: number): PartRange => {
  const start = (number - 1) * partSizeBytes
  return { number, start, length: Math.min(partSizeBytes, sizeBytes - start) }
}
