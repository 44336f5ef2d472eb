import type { Clock } from '../../ports/clock.ts'
import type { WriterSnapshot } from './proc-writers.ts'

/** Files that another process is writing now. */
export type WrittenFiles = () => Promise<readonly WrittenFile[]>

export type WrittenFile = {
  readonly path: string
  /** The volume that it is written to in bulk: whoever reads from there is in its way, wherever the file lies. */
  readonly bulkOn: string | null
}

/** Recorders write in bursts. */
const writtenWithinMs = 10_000
/** Logs and databases write less, and lose nothing. */
const bulkBytesPerSecond = 1_000_000

/** Open alone says nothing: some recorders keep their file open all day. What is written has a new time. */
export const createWrittenFiles = (list: () => Promise<WriterSnapshot>, clock: Clock): WrittenFiles => {
  let before: WriterSnapshot = new Map()
  let beforeAtMs = clock.monotonicMs()
  return async () => {
    const now = await list()
    const atMs = clock.monotonicMs()
    const bulkBytes = (bulkBytesPerSecond * Math.max(1000, atMs - beforeAtMs)) / 1000
    const written: WrittenFile[] = []
    for (const [key, { path, device, sizeBytes, writtenAtMs }] of now) {
      if (Math.abs(clock.wallMs() - writtenAtMs) > writtenWithinMs) continue
      const isBulk = sizeBytes - (before.get(key)?.sizeBytes ?? sizeBytes) >= bulkBytes
      written.push({ path, bulkOn: isBulk ? device : null })
    }
    before = now
    beforeAtMs = atMs
    return written
  }
}
