import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { Failure } from '../../domain/failure.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { fileFailure } from '../files/file-failure.ts'
import { whyOutsideSync } from '../files/inside-root.ts'
import { readFlags } from '../files/open-file.ts'
import { describeChange, identityOf } from '../files/stat-identity.ts'
import type { HashJob, ReaderAnswer } from './hash-job.ts'
import { type RingView, slotBytes, viewRing } from './hash-ring.ts'

/** Thread one of a pair: reads the file once, hashes the whole of it, and leaves each slot to thread two. */

/** Looking this often spares the rest of 2 TB when the recorder has taken the file up again. */
const slotsPerLook = 64

const changed = (detail: string): Failure => ({ kind: 'file-changed', detail })

const refused = (detail: string): ReaderAnswer => ({
  kind: 'failed',
  failure: { kind: 'file-unreadable', detail },
})

const run = (job: HashJob): ReaderAnswer => {
  const ring = viewRing(job.ring)
  let fd: number | null = null
  try {
    fd = openSync(job.path, readFlags)
    const outside = whyOutsideSync(fd, job.path, job.root)
    const answer = outside === null ? hashOpen(fd, job, ring) : refused(outside)
    if (answer.kind === 'failed') ring.stop()
    return answer
  } catch (error) {
    ring.stop()
    return { kind: 'failed', failure: fileFailure(error) }
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

const hashOpen = (fd: number, job: HashJob, ring: RingView): ReaderAnswer => {
  const { sizeBytes } = job.identity
  const hash = createHash('sha256')
  for (let index = 0, position = 0; position < sizeBytes; index += 1) {
    if (!ring.waitForRoom(index)) return { kind: 'failed', failure: { kind: 'cancelled' } }
    const difference = index % slotsPerLook === 0 ? differenceTo(fd, job.identity) : null
    if (difference !== null) return { kind: 'failed', failure: difference }
    const startedMs = performance.now()
    const slot = ring.slot(index, Math.min(slotBytes, sizeBytes - position))
    const bytesRead = readFully(fd, slot, position)
    if (bytesRead < slot.length)
      return { kind: 'failed', failure: changed(`the file ends at ${position + bytesRead} bytes`) }
    ring.fill()
    hash.update(slot)
    position += slot.length
    ring.rest(performance.now() - startedMs)
  }
  const after = differenceTo(fd, job.identity)
  if (after !== null) return { kind: 'failed', failure: after }
  return { kind: 'whole', sha256: hash.digest('hex') }
}

const differenceTo = (fd: number, expected: FileIdentity): Failure | null => {
  const stats = fstatSync(fd, { bigint: true })
  if (!stats.isFile()) return { kind: 'file-unreadable', detail: 'it is not a regular file' }
  const now = identityOf(stats)
  return sameFile(expected, now) ? null : changed(describeChange(expected, now))
}

/** Fewer bytes than asked only at the end of the file. */
const readFully = (fd: number, slot: Uint8Array, position: number): number => {
  let filled = 0
  while (filled < slot.length) {
    const bytesRead = readSync(fd, slot, filled, slot.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(run(job)))
