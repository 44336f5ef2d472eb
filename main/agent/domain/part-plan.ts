/**
 * Hard case: The service asks for a part size outside the contract’s limits.
 * Other recordings continue. If the session was just created, Sluice gives it up and creates another one every hour.
 * Sluice keeps an older session and checks it again every hour.
 */

/**
 * How a recording is divided into parts. §8 says "8 MB to 512 MB" without defining the megabyte. A megabyte may be
 * 1,000,000 or 1,048,576 bytes, so Sluice plans only sizes that both readings allow. S3-like stores allow at most
 * 10,000 parts.
 */
export const SMALLEST_PART_BYTES = 8 * 1024 * 1024
export const LARGEST_PART_BYTES = 512_000_000
export const MAX_PARTS = 10_000
const DEFAULT_PART_BYTES = 64 * 1024 * 1024
const MIB = 1024 * 1024

export const LARGEST_RECORDING_BYTES = Math.floor(LARGEST_PART_BYTES / MIB) * MIB * MAX_PARTS

/** Null if the recording is too large for 10,000 parts of the largest size. */
export const planPartSize = (sizeBytes: number, requestedBytes?: number): number | null => {
  if (sizeBytes > LARGEST_RECORDING_BYTES) return null
  const allowedBytes = Math.min(
    Math.max(requestedBytes ?? DEFAULT_PART_BYTES, SMALLEST_PART_BYTES),
    LARGEST_PART_BYTES,
  )
  const neededBytes = Math.ceil(sizeBytes / MAX_PARTS)
  return neededBytes <= allowedBytes ? allowedBytes : Math.ceil(neededBytes / MIB) * MIB
}

/**
 * Plans the part size of a file that still grows. Parts must get larger once the file exceeds 10,000 of them. Each
 * increase restarts the hashing, because digests of parts cannot be combined. So the new part size suffices until the
 * file has doubled. `currentBytes`: the part size of the running hash. It stays as long as it suffices.
 */
export const planGrowingPartSize = (
  sizeBytes: number,
  requestedBytes?: number,
  currentBytes?: number,
): number | null => {
  const plannedBytes = planPartSize(sizeBytes, requestedBytes)
  if (plannedBytes === null) return null
  if (currentBytes !== undefined && currentBytes >= plannedBytes) return currentBytes
  if (plannedBytes === planPartSize(0, requestedBytes)) return plannedBytes
  return planPartSize(Math.min(2 * sizeBytes, LARGEST_RECORDING_BYTES), requestedBytes)
}

/** The widest reading of §8: 8,000,000 to 536,870,912 bytes. */
const SMALLEST_ALLOWED_BYTES = 8_000_000
const LARGEST_ALLOWED_BYTES = 512 * MIB

/**
 * Why the file cannot have parts of this size, or null. The last part may be smaller (§8), so for a file of up to 512
 * MiB in one part, any part size is allowed.
 */
export const findPartSizeProblem = (sizeBytes: number, partSizeBytes: number): string | null => {
  if (!Number.isSafeInteger(partSizeBytes) || partSizeBytes < 1) return `parts of ${partSizeBytes} bytes`
  const parts = partCount(sizeBytes, partSizeBytes)
  if (parts > MAX_PARTS) return `${parts} parts of ${partSizeBytes} bytes`
  if (partSizeBytes > LARGEST_ALLOWED_BYTES && sizeBytes > LARGEST_ALLOWED_BYTES)
    return `parts of ${partSizeBytes} bytes`
  return parts > 1 && partSizeBytes < SMALLEST_ALLOWED_BYTES ? `parts of ${partSizeBytes} bytes` : null
}

export type PartRange = { readonly number: number; readonly start: number; readonly length: number }

export const partCount = (sizeBytes: number, partSizeBytes: number): number =>
  Math.ceil(sizeBytes / partSizeBytes)

/** The bytes of one part. Parts are numbered from 1 (§2.3). */
export const partRange = (sizeBytes: number, partSizeBytes: number, number: number): PartRange => {
  const start = (number - 1) * partSizeBytes
  return { number, start, length: Math.min(partSizeBytes, sizeBytes - start) }
}
