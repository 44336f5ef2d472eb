import type { Status } from '../../shared/status/status.ts'

/** How far the present batch is: measured from the most there was to send since the station was last idle. */
export const batchPeak = (peak: number, { transfer }: Status): number =>
  transfer.bytesLeft === 0 ? 0 : Math.max(peak, transfer.bytesLeft)

/** From 0 to 1; null while there is nothing to send. */
export const batchDone = (peak: number, { transfer }: Status): number | null =>
  peak === 0 || transfer.bytesLeft === 0 ? null : 1 - transfer.bytesLeft / peak
