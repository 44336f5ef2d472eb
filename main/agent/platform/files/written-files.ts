import type { Clock } from '../../ports/clock.ts'
import type { WriterSnapshot } from './proc-writers.ts'

/** Lists the files that other processes write now. */
export type WrittenFiles = () => Promise<readonly WrittenFile[]>

export type WrittenFile = {
  readonly path: string
  /** The file's volume if the file grows so fast that reads from this volume slow its writer down; otherwise null. */
  readonly bulkVolume: string | null
}

/** Recorders write in bursts, with pauses of seconds. */
const WRITTEN_WITHIN_MS = 10_000
/** Logs and databases grow more slowly than this, and a slow drive costs them no data. */
const BULK_BYTES_PER_SECOND = 1_000_000

/** Leaves out open files without a recent write, because some recorders keep their file open all day. */
export const createWrittenFiles = (list: () => Promise<WriterSnapshot>, clock: Clock): WrittenFiles => {
  let previous: WriterSnapshot = new Map()
  let previousAtMs = clock.monotonicMs()
  return async () => {
    const current = await list()
    const currentAtMs = clock.monotonicMs()
    const bulkBytes = (BULK_BYTES_PER_SECOND * Math.max(1000, currentAtMs - previousAtMs)) / 1000
    const written: WrittenFile[] = []
    for (const [key, { path, device, sizeBytes, writtenAtMs }] of current) {
      if (Math.abs(clock.wallMs() - writtenAtMs) > WRITTEN_WITHIN_MS) continue
      const isBulk = sizeBytes - (previous.get(key)?.sizeBytes ?? sizeBytes) >= bulkBytes
      written.push({ path, bulkVolume: isBulk ? device : null })
    }
    previous = current
    previousAtMs = currentAtMs
    return written
  }
}
