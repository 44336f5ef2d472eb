import type { Status } from '../../shared/status/status.ts'

/** The largest number of bytes that waited since the station was last idle. Progress is measured from this peak. */
export const peakBytesLeft = (peak: number, { transfer }: Status): number =>
  transfer.bytesLeft === 0 ? 0 : Math.max(peak, transfer.bytesLeft)

/** The progress from 0 to 1. Null while there is nothing to send. */
export const batchProgress = (peak: number, { transfer }: Status): number | null =>
  peak === 0 || transfer.bytesLeft === 0 ? null : 1 - transfer.bytesLeft / peak
