import { readSync } from 'node:fs'
import type { ReadAt } from './content-samples.ts'
import { slotBytes } from './hash-ring.ts'

/** Returns fewer bytes than requested only at the end of the file. */
export const readFully = (fd: number, bytes: Uint8Array, position: number): number => {
  let filled = 0
  while (filled < bytes.length) {
    const bytesRead = readSync(fd, bytes, filled, bytes.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/** Each result is valid until the next read. */
export const readerOf = (fd: number): ReadAt => {
  const buffer = new Uint8Array(slotBytes)
  return (position, length) => buffer.subarray(0, readFully(fd, buffer.subarray(0, length), position))
}
