import type { Transfer } from '../status/status.ts'
import { formatBytes, formatRate } from './format.ts'

/** "26.5 MB/s · 22.8 GB left", for window and terminal. Leaves out an unknown speed, and zero bytes. */
export const transferLine = ({
  bytesPerSecond,
  bytesLeft,
}: Pick<Transfer, 'bytesPerSecond' | 'bytesLeft'>): string =>
  [
    ...(bytesPerSecond === null ? [] : [formatRate(bytesPerSecond)]),
    ...(bytesLeft === 0 ? [] : [`${formatBytes(bytesLeft)} left`]),
  ].join(' · ')
