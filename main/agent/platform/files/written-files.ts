import type { Clock } from '../../ports/clock.ts'
import type { WriterSnapshot } from './proc-writers.ts'

/** Files that another process is writing now. */
export type WrittenFiles = () => Promise<readonly WrittenFile[]>

export type WrittenFile = {
  readonly path: string
  /** The volume that receives bulk writes: reading from it slows the writer down, wherever the file lies. */
  readonly bulkOn: string | null
}

/** Recorders write in bursts, with pauses of seconds. */
const WRITTEN_WITHIN_MS = 10_000
/** Logs and databases write less, and a slow drive costs them no data. */
const BULK_BYTES_PER_SECOND = 1_000_000

/** An open file is not enough: some recorders keep their file open all day. A written file has a recent mtime. */
export const createWrittenFiles = (list: () => Promise<WriterSnapshot>, clock: Clock): WrittenFiles => {
  let before: WriterSnapshot = new Map()
  let beforeAtMs = clock.monotonicMs()
  return async () => {
    const now = await list()
    const atMs = clock.monotonicMs()
    const bulkBytes = (BULK_BYTES_PER_SECOND * Math.max(1000, atMs - beforeAtMs)) / 1000
    const written: WrittenFile[] = []
    for (const [key, { path, device, sizeBytes, writtenAtMs }] of now) {
      if (Math.abs(clock.wallMs() - writtenAtMs) > WRITTEN_WITHIN_MS) continue
      const isBulk = sizeBytes - (before.get(key)?.sizeBytes ?? sizeBytes) >= bulkBytes
      written.push({ path, bulkOn: isBulk ? device : null })
    }
    before = now
    beforeAtMs = atMs
    return written
  }
}
