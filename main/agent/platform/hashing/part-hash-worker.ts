import type { HashJob, PartsAnswer } from './hash-job.ts'
import { slotBytes, viewRing } from './hash-ring.ts'
import { PartDigests } from './part-digests.ts'
import { RunningDigests, serveJobs } from './running-digests.ts'
import { createThreadPriority } from './thread-priority.ts'

/** The second thread of a pair: hashes each part from the bytes in the ring, and frees their slots. */
const hashRange = ({ ring: shared, from, to }: HashJob, digests: PartDigests): boolean => {
  const ring = viewRing(shared)
  for (let index = 0, position = from; position < to; index += 1) {
    if (!ring.waitForData(index)) return false
    const slot = ring.slot(index, Math.min(slotBytes, to - position))
    digests.update(slot)
    position += slot.length
    ring.empty()
  }
  return true
}

const digests = new RunningDigests((partSizeBytes) => new PartDigests(partSizeBytes))
createThreadPriority()

serveJobs(digests, (job): PartsAnswer => {
  const partDigests = digests.of(job)
  if (partDigests === null || !hashRange(job, partDigests)) {
    // Release the first thread, which waits for free slots.
    viewRing(job.ring).stop()
    return { kind: 'stopped' }
  }
  if (!job.isLastRange) {
    digests.keep(job, partDigests)
    return { kind: 'parts', sha256: [] }
  }
  digests.forget(job.hashId)
  return { kind: 'parts', sha256: partDigests.finish() }
})
