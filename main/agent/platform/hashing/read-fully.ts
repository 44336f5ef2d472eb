import { readSync } from 'node:fs'
import type { ReadAt } from './content-samples.ts'
import { slotBytes } from './hash-ring.ts'

/** Returns fewer bytes than requested only at the end of the file. */
export const readFully = (fd: number, bytes: Uint8Array, position: number): number => {
  let filledBytes = 0
  while (filledBytes < bytes.length) {
    const bytesRead = readSync(fd, bytes, filledBytes, bytes.length - filledBytes, position + filledBytes)
    if (bytesRead === 0) break
    filledBytes += bytesRead
  }
  return filledBytes
}

/** Each result is valid until the next read. */
export const readerOf = (fd: number): ReadAt => {
  const buffer = new Uint8Array(slotBytes)
  return (position, length) => buffer.subarray(0, readFully(fd, buffer.subarray(0, length), position))
}
