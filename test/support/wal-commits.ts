import { readFileSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/**
 * Counts the transactions in a journal's WAL. Only the last frame of a transaction contains the size of the database;
 * in its other frames, that field is zero.
 */
export const countCommits = (walFile: string): number => {
  const wal = readFileSync(walFile)
  const pageBytes = wal.readUInt32BE(8)
  let commits = 0
  for (let offset = HEADER_BYTES; offset < wal.length; offset += FRAME_HEADER_BYTES + pageBytes)
    if (wal.readUInt32BE(offset + 4) > 0) commits += 1
  return commits
}
