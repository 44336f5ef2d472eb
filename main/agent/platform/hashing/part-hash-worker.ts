import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { HashJob, PartsAnswer } from './hash-job.ts'
import { slotBytes, viewRing } from './hash-ring.ts'

/** Thread two of a pair: hashes part by part what thread one has read, and gives the slot back. */
const run = ({ ring: shared, identity, partSizeBytes }: HashJob): PartsAnswer => {
  const ring = viewRing(shared)
  const { sizeBytes } = identity
  const sha256: string[] = []
  let hash = createHash('sha256')
  let partEnd = Math.min(partSizeBytes, sizeBytes)
  for (let index = 0, position = 0; position < sizeBytes; index += 1) {
    if (!ring.waitForData(index)) return { kind: 'stopped' }
    const slot = ring.slot(index, Math.min(slotBytes, sizeBytes - position))
    for (let offset = 0; offset < slot.length; ) {
      const length = Math.min(slot.length - offset, partEnd - position)
      hash.update(slot.subarray(offset, offset + length))
      offset += length
      position += length
      if (position === partEnd) {
        sha256.push(hash.digest('hex'))
        hash = createHash('sha256')
        partEnd = Math.min(partEnd + partSizeBytes, sizeBytes)
      }
    }
    ring.empty()
  }
  return { kind: 'parts', sha256 }
}

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(run(job)))
