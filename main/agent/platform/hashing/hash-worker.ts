import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Failure } from '../../domain/failure.ts'
import { type FileIdentity, hasOnlyGrown, sameFile } from '../../domain/file-identity.ts'
import { fileFailure } from '../files/file-failure.ts'
import { whyOutsideSync } from '../files/inside-root.ts'
import { readFlags } from '../files/open-file.ts'
import { describeChange, identityOf } from '../files/stat-identity.ts'
import type { ReadAt } from './content-samples.ts'
import { createDriveReads } from './drive-reads.ts'
import { createDriveWrites } from './drive-writes.ts'
import type { HashJob, ReaderAnswer } from './hash-job.ts'
import { type RingView, slotBytes, viewRing } from './hash-ring.ts'
import { createReadAhead } from './read-ahead.ts'
import { readerOf, readFully } from './read-fully.ts'
import { restMs } from './read-throttle.ts'
import { RunningDigests, serveJobs } from './running-digests.ts'
import { createThreadPriority } from './thread-priority.ts'
import { WholeDigest } from './whole-digest.ts'

/** The first thread of a pair: reads the file, hashes all of it, and passes each slot to the second thread. */

/**
 * After this many slots, Sluice checks again whether the file has changed. Without this check, it would read a changed
 * file to its end.
 */
const SLOTS_PER_CHECK = 64

const failedAnswer = (failure: Failure): ReaderAnswer => ({ kind: 'failed', failure })
const changedAnswer = (detail: string): ReaderAnswer => failedAnswer({ kind: 'file-changed', detail })
const cancelledAnswer = failedAnswer({ kind: 'cancelled' })

const digests = new RunningDigests((partSizeBytes) => new WholeDigest(partSizeBytes, Math.random))
const priority = createThreadPriority()
const countDriveReads = createDriveReads()

const hasBulkWrites = createDriveWrites()
const readAheadOf = createReadAhead()

/** Throttles reading while a recorder writes. Call the returned function after each slot, with the end of the slot. */
const createThrottle = (fd: number, ring: RingView) => {
  const device = String(fstatSync(fd, { bigint: true }).dev)
  const readAhead = readAheadOf(fd)
  // The pool checks only every 250 ms. The drive's write counter reveals a recorder at once.
  const shouldYield = (): boolean => ring.isYielding() || hasBulkWrites(device, ring.ownCopies())
  countDriveReads(0)
  let isCounting = true
  return (position: number, readMs: number, hashMs: number): void => {
    const isYielding = shouldYield()
    priority.setBackground(isYielding)
    readAhead.set(!isYielding)
    if (!isYielding) {
      isCounting = false
      return
    }
    const fetchedBytes = countDriveReads(readMs)
    // Ignore the first count, which includes earlier reads.
    const fromDrive = isCounting && fetchedBytes > 0
    isCounting = true
    ring.rest(restMs({ readMs, hashMs, fromDrive, hasLowPriority: priority.hasLowPriority() }), shouldYield)
    // The system has read ahead beyond this slot. Drop these bytes (see `ReadAhead`).
    if (fromDrive && fetchedBytes > slotBytes) readAhead.drop(position, 2 * fetchedBytes)
  }
}

const hashRange = (fd: number, job: HashJob, ring: RingView, digest: WholeDigest): ReaderAnswer | null => {
  const throttle = createThrottle(fd, ring)
  for (let index = 0, position = job.from; position < job.to; index += 1) {
    if (!ring.waitForFreeSlot(index)) return cancelledAnswer
    const difference = index % SLOTS_PER_CHECK === 0 ? findDifference(fd, job) : null
    if (difference !== null) return difference
    const slot = ring.slot(index, Math.min(slotBytes, job.to - position))
    const startedMs = performance.now()
    const bytesRead = readFully(fd, slot, position)
    const readMs = performance.now() - startedMs
    if (bytesRead < slot.length) return changedAnswer(`the file ends at ${position + bytesRead} bytes`)
    ring.fill()
    digest.update(slot)
    position += slot.length
    throttle(position, readMs, performance.now() - startedMs - readMs)
  }
  return null
}

const hashOpenFile = (fd: number, job: HashJob, ring: RingView): ReaderAnswer => {
  const digest = digests.of(job)
  if (digest === null) return { kind: 'stale', rewritten: false }
  const difference = findDifference(fd, job)
  if (difference !== null) return difference
  const readAt = readerOf(fd)
  const read: ReadAt = (position, length) => {
    ring.beat()
    return readAt(position, length)
  }
  // A program may have overwritten the hashed bytes. While the file grows, Sluice compares only a few samples.
  const changedAt =
    job.from === 0 ? null : job.isLastRange ? digest.findFirstChange(read) : digest.spotCheck(read)
  if (changedAt !== null) return { kind: 'stale', rewritten: true }
  const problem = hashRange(fd, job, ring, digest) ?? findDifference(fd, job)
  if (problem !== null) return problem
  if (job.isLastRange) return { kind: 'whole', sha256: digest.finish() }
  digests.keep(job, digest)
  return { kind: 'advanced', identity: identityOf(fstatSync(fd, { bigint: true })) }
}

const withOpenFile = (job: HashJob, work: (fd: number) => ReaderAnswer): ReaderAnswer => {
  let fd: number | null = null
  try {
    fd = openSync(job.path, readFlags)
    const outside = whyOutsideSync(fd, job.path, job.root)
    return outside === null ? work(fd) : failedAnswer({ kind: 'file-unreadable', detail: outside })
  } catch (error) {
    return failedAnswer(fileFailure(error))
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

const findDifference = (fd: number, { identity, isLastRange }: HashJob): ReaderAnswer | null => {
  const stats = fstatSync(fd, { bigint: true })
  if (!stats.isFile()) return failedAnswer({ kind: 'file-unreadable', detail: 'it is not a regular file' })
  const current: FileIdentity = identityOf(stats)
  if (isLastRange)
    return sameFile(identity, current) ? null : changedAnswer(describeChange(identity, current))
  return hasOnlyGrown(identity, current) ? null : { kind: 'stale', rewritten: false }
}

serveJobs(digests, (job) => {
  const ring = viewRing(job.ring)
  const answer = withOpenFile(job, (fd) => hashOpenFile(fd, job, ring))
  // Release the second thread, which waits for slots.
  if (answer.kind === 'failed' || answer.kind === 'stale') ring.stop()
  if (answer.kind === 'whole' || answer.kind === 'stale') digests.forget(job.hashId)
  return answer
})
