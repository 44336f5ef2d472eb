import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Failure } from '../../domain/failure.ts'
import { continues, type FileIdentity, sameFile } from '../../domain/file-identity.ts'
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

/** Thread one of a pair: reads the file once, hashes the whole of it, and leaves each slot to thread two. */

/** Looking this often spares the rest of 2 TB when the recorder has taken the file up again. */
const slotsPerLook = 64

const failure = (met: Failure): ReaderAnswer => ({ kind: 'failed', failure: met })
const changed = (detail: string): ReaderAnswer => failure({ kind: 'file-changed', detail })
const cancelled = failure({ kind: 'cancelled' })

const digests = new RunningDigests((partSizeBytes) => new WholeDigest(partSizeBytes, Math.random))
const priority = createThreadPriority()
const fetchedSince = createDriveReads()

const takesWrites = createDriveWrites()
const readAheadOf = createReadAhead()

/** Recorder first: what to do after each slot of this file, which ends at `position`. */
const restsFor = (fd: number, ring: RingView) => {
  const device = String(fstatSync(fd, { bigint: true }).dev)
  const readAhead = readAheadOf(fd)
  // The pool's word comes every quarter of a second; what the drive counts is known at once.
  const isGentle = (): boolean => ring.isGentle() || takesWrites(device, ring.ownCopies())
  fetchedSince(0)
  let isCounting = true
  return (position: number, readMs: number, hashMs: number): void => {
    const gentle = isGentle()
    priority.setBackground(gentle)
    readAhead.set(!gentle)
    if (!gentle) {
      isCounting = false
      return
    }
    const fetchedBytes = fetchedSince(readMs)
    // The first count goes back to before anybody wrote.
    const fromDrive = isCounting && fetchedBytes > 0
    isCounting = true
    ring.rest(restMs({ readMs, hashMs, fromDrive, leavesProcessor: priority.leavesProcessor() }), isGentle)
    // The next stretch is fetched while this one is read.
    if (fromDrive && fetchedBytes > slotBytes) readAhead.drop(position, 2 * fetchedBytes)
  }
}

const hashStretch = (fd: number, job: HashJob, ring: RingView, digest: WholeDigest): ReaderAnswer | null => {
  const rest = restsFor(fd, ring)
  for (let index = 0, position = job.from; position < job.to; index += 1) {
    if (!ring.waitForRoom(index)) return cancelled
    const difference = index % slotsPerLook === 0 ? differenceTo(fd, job) : null
    if (difference !== null) return difference
    const slot = ring.slot(index, Math.min(slotBytes, job.to - position))
    const startedMs = performance.now()
    const bytesRead = readFully(fd, slot, position)
    const readMs = performance.now() - startedMs
    if (bytesRead < slot.length) return changed(`the file ends at ${position + bytesRead} bytes`)
    ring.fill()
    digest.update(slot)
    position += slot.length
    rest(position, readMs, performance.now() - startedMs - readMs)
  }
  return null
}

const hashOpen = (fd: number, job: HashJob, ring: RingView): ReaderAnswer => {
  const digest = digests.of(job)
  if (digest === null) return { kind: 'stale', rewritten: false }
  const before = differenceTo(fd, job)
  if (before !== null) return before
  const readAt = readerOf(fd)
  const read: ReadAt = (position, length) => {
    ring.beat()
    return readAt(position, length)
  }
  // While it grows a glance; what the planned digests rest on is the look at the end.
  const staleAt = job.from === 0 ? null : job.ends ? digest.staleAt(read) : digest.glance(read)
  if (staleAt !== null) return { kind: 'stale', rewritten: true }
  const broken = hashStretch(fd, job, ring, digest) ?? differenceTo(fd, job)
  if (broken !== null) return broken
  if (job.ends) return { kind: 'whole', sha256: digest.finish() }
  digests.keep(job, digest)
  return { kind: 'advanced', identity: identityOf(fstatSync(fd, { bigint: true })) }
}

const withOpen = (job: HashJob, work: (fd: number) => ReaderAnswer): ReaderAnswer => {
  let fd: number | null = null
  try {
    fd = openSync(job.path, readFlags)
    const outside = whyOutsideSync(fd, job.path, job.root)
    return outside === null ? work(fd) : failure({ kind: 'file-unreadable', detail: outside })
  } catch (error) {
    return failure(fileFailure(error))
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

/** A file that is finished has to be the very one; one that grows may only have gone on. */
const differenceTo = (fd: number, { identity, ends }: HashJob): ReaderAnswer | null => {
  const stats = fstatSync(fd, { bigint: true })
  if (!stats.isFile()) return failure({ kind: 'file-unreadable', detail: 'it is not a regular file' })
  const now: FileIdentity = identityOf(stats)
  if (ends) return sameFile(identity, now) ? null : changed(describeChange(identity, now))
  return continues(identity, now) ? null : { kind: 'stale', rewritten: false }
}

serveJobs(digests, (job) => {
  const ring = viewRing(job.ring)
  const answer = withOpen(job, (fd) => hashOpen(fd, job, ring))
  // Thread two waits for what will not come.
  if (answer.kind === 'failed' || answer.kind === 'stale') ring.stop()
  if (answer.kind === 'whole' || answer.kind === 'stale') digests.forget(job.running)
  return answer
})
