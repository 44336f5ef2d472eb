import { parentPort } from 'node:worker_threads'
import type { ForgetJob, HashJob, PartsAnswer } from './hash-job.ts'
import { slotBytes, viewRing } from './hash-ring.ts'
import { PartDigests } from './part-digests.ts'
import { createThreadPriority } from './thread-priority.ts'

/** Thread two of a pair: hashes part by part what thread one has read, and gives the slot back. */
const hashStretch = ({ ring: shared, from, to }: HashJob, digests: PartDigests): boolean => {
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

const serve = (): ((job: HashJob | ForgetJob) => PartsAnswer | null) => {
  const running = new Map<number, PartDigests>()
  createThreadPriority()

  /** Null where it is not known any more what was hashed so far. */
  const digestsOf = (job: HashJob): PartDigests | null => {
    if (job.from === 0) return new PartDigests(job.partSizeBytes)
    const known = job.running === null ? undefined : running.get(job.running)
    return known?.position === job.from ? known : null
  }

  return (job) => {
    if ('forget' in job) {
      running.delete(job.forget)
      return null
    }
    const digests = digestsOf(job)
    if (digests === null || !hashStretch(job, digests)) {
      // Thread one waits for slots that nobody gives back.
      viewRing(job.ring).stop()
      return { kind: 'stopped' }
    }
    if (!job.ends) {
      if (job.running !== null) running.set(job.running, digests)
      return { kind: 'parts', sha256: [] }
    }
    if (job.running !== null) running.delete(job.running)
    return { kind: 'parts', sha256: digests.finish() }
  }
}

const answer = serve()
parentPort?.on('message', (job: HashJob | ForgetJob) => {
  const said = answer(job)
  if (said !== null) parentPort?.postMessage(said)
})
