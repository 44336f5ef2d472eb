import type { Status } from '../../shared/status/status.ts'

/** The peak of the bytes left to send, back to 0 when none are left. Progress is measured from this peak. */
export const peakBytesLeft = (peakBytes: number, { transfer }: Status): number =>
  transfer.bytesLeft === 0 ? 0 : Math.max(peakBytes, transfer.bytesLeft)

/** The progress from 0 to 1. Null while there is nothing to send. */
export const batchProgress = (peakBytes: number, { transfer }: Status): number | null =>
  peakBytes === 0 || transfer.bytesLeft === 0 ? null : 1 - transfer.bytesLeft / peakBytes
