import type { Status } from '../../shared/status/status.ts'

/** The highest number of bytes left since the queue was last empty. The progress counts from this peak. */
export const peakBytesLeft = (peakBytes: number, { transfer }: Status): number =>
  transfer.bytesLeft === 0 ? 0 : Math.max(peakBytes, transfer.bytesLeft)

/** The progress from 0 to 1. Null while there is nothing to send. */
export const batchProgress = (peakBytes: number, { transfer }: Status): number | null =>
  peakBytes === 0 || transfer.bytesLeft === 0 ? null : 1 - transfer.bytesLeft / peakBytes
