import { plural } from '../../../../shared/words/format.ts'
import { failed, type Outcome } from '../../domain/failure.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { partCount, partRange, planPartSize } from '../../domain/part-plan.ts'
import type { RewritingRecorders } from '../../domain/rewriting-recorders.ts'
import type { Recording } from '../../journal/journal.ts'
import type { HashResult } from '../../ports/hashing.ts'
import { applyDecision, withoutSession } from '../../stage/apply-decision.ts'
import { createClearance, isStillDismissed, keepDismissed } from '../../stage/held-takes.ts'
import { holdForRemovedFolder } from '../../stage/removed-folders.ts'
import { StageOf, type StageWorld } from '../../stage/stage.ts'

const CHECK_INTERVAL_MS = 10_000
/** Reading a larger file takes minutes or hours, and small files must not wait for it. */
const LARGE_BYTES = 4 * 1024 ** 3
/** Small files share commits, because each commit flushes the disk that the recorder writes to. */
const FILES_PER_BATCH = 64
const BYTES_PER_BATCH = 32 * 1024 ** 2

/**
 * Each lane has its own hash threads. A `grown` file has only its end left to hash, so it must not wait behind a
 * backlog.
 */
export type HashLane = 'grown' | 'small' | 'large'

const laneFilters = {
  grown: { fromBytes: 0, belowBytes: Number.MAX_SAFE_INTEGER, among: 'only' },
  small: { fromBytes: 0, belowBytes: LARGE_BYTES, among: 'all-but' },
  large: { fromBytes: LARGE_BYTES, belowBytes: Number.MAX_SAFE_INTEGER, among: 'all-but' },
} as const

type Claim = { readonly recording: Recording; readonly partSizeBytes: number }

/** As many recordings as fit in a batch, but at least one. */
const firstBatch = (recordings: readonly Recording[]): Recording[] => {
  let bytes = 0
  return recordings.filter((recording, index) => {
    bytes += recording.identity.sizeBytes
    return index === 0 || bytes <= BYTES_PER_BATCH
  })
}

type Needs =
  | 'journal'
  | 'files'
  | 'hashing'
  | 'runningHashes'
  | 'clock'
  | 'random'
  | 'progress'
  | 'folderOf'
  | 'station'

/**
 * Computes the digests of queued files and of their parts. Each lane reads one file at a time, because a recorder uses
 * the same disk.
 */
export class Hasher extends StageOf<Needs> {
  readonly name: string
  readonly states = ['queued', 'hashing'] as const
  readonly #lane: HashLane
  readonly #rewritingRecorders: RewritingRecorders
  /** Recordings that some lane is reading. All lanes share this set, because a recording may change its lane. */
  readonly #claimed: Set<number>

  constructor(
    world: Pick<StageWorld, Needs>,
    lane: HashLane,
    shared: { readonly rewritingRecorders: RewritingRecorders; readonly claimed: Set<number> },
  ) {
    super(world)
    this.#rewritingRecorders = shared.rewritingRecorders
    this.#claimed = shared.claimed
    this.name = `hasher of ${lane} files`
    this.#lane = lane
  }

  async step(signal: AbortSignal): Promise<number> {
    const { journal, clock } = this.world
    const laneFilter = { ...laneFilters[this.#lane], ids: this.world.runningHashes.ids() }
    // Between two steps, this lane reads nothing. So a `hashing` recording that no other lane reads is left over from a
    // crash or a full disk.
    for (const leftover of journal.work.hashingOf(laneFilter)) {
      if (this.#claimed.has(leftover.id)) continue
      journal.recordings.transition(
        leftover.id,
        'hashing',
        { kind: 'hash-abandoned' },
        { reason: 'hashing was interrupted', patch: { attempts: leftover.attempts } },
      )
    }
    const nowMs = clock.wallMs()
    const batch = firstBatch(journal.work.toHash(laneFilter, nowMs, FILES_PER_BATCH))
    if (batch.length === 0) return journal.work.nextCheckMs('queued', nowMs, CHECK_INTERVAL_MS)
    const claims = await this.#claim(batch)
    const results: { readonly claim: Claim; readonly result: Outcome<HashResult | null> }[] = []
    try {
      for (const claim of claims) results.push({ claim, result: await this.#hash(claim, signal) })
      await journal.commit(() => {
        for (const { claim, result } of results) this.#conclude(claim, result)
      })
      // Note rewrites only after the commit, because `commit` may run its function twice.
      for (const { claim, result } of results) this.#noteRewrites(claim, result)
    } finally {
      for (const { recording } of claims) this.#claimed.delete(recording.id)
    }
    // Forget the running hashes last: without its running hash, a recording would move to a different lane.
    if (this.#lane === 'grown')
      for (const { claim, result } of results)
        if (result.ok || !['file-busy', 'file-vanished', 'drive-away'].includes(result.failure.kind))
          this.world.runningHashes.forget(claim.recording.id)
    return 0
  }

  #conclude({ recording, partSizeBytes }: Claim, result: Outcome<HashResult | null>): void {
    if (!result.ok) applyDecision(this.world, { kind: 'recording', recording }, result.failure)
    else if (result.value !== null) this.#storeDigests(recording, partSizeBytes, result.value)
    // Hashed bytes have changed, so the storage would refuse the parts (§4.2), perhaps after hours of uploading.
    else
      this.world.journal.recordings.transition(
        recording.id,
        'hashing',
        { kind: 'hash-abandoned' },
        {
          reason: 'the recorder rewrote bytes that were already hashed; reading the whole file',
          patch: { attempts: recording.attempts },
        },
      )
  }

  #noteRewrites({ recording }: Claim, result: Outcome<HashResult | null>): void {
    if (!result.ok) return
    if (result.value === null) this.#rewritingRecorders.noteRewrite(recording)
    else if (this.#lane === 'grown') this.#rewritingRecorders.noteUnchanged(recording)
  }

  async #claim(batch: readonly Recording[]): Promise<Claim[]> {
    const { journal, files } = this.world
    const identities = await Promise.all(batch.map((queued) => files.identify(queued.path)))
    const claims = journal.transaction(() => {
      const isCleared = createClearance(this.world)
      return batch.flatMap((queued, index) => this.#claimOne(queued, identities[index]!, isCleared) ?? [])
    })
    for (const { recording } of claims) this.#claimed.add(recording.id)
    return claims
  }

  #claimOne(
    queued: Recording,
    found: Outcome<FileIdentity>,
    isCleared: (recording: Recording) => boolean,
  ): Claim | null {
    const { journal } = this.world
    const { recordings } = journal
    const identity = this.#ownIdentity(queued, found)
    if (!identity.ok) {
      applyDecision(this.world, { kind: 'recording', recording: queued }, identity.failure)
      return null
    }
    if (!sameFile(identity.value, queued.identity) && isStillDismissed(queued, identity.value)) {
      recordings.patch(queued.id, { identity: identity.value })
      return null
    }
    if (!sameFile(identity.value, queued.identity)) {
      recordings.transition(
        queued.id,
        'queued',
        { kind: 'changed' },
        { reason: 'the file changed before it was hashed', patch: { identity: identity.value } },
      )
      return null
    }
    const folder = this.world.folderOf(queued.folder)
    if (folder?.on_deviation === 'hold' && !isCleared(queued)) return null
    if (keepDismissed(this.world, queued)) return null
    // A user undid the dismissal of a recording whose folder is no longer in the settings.
    if (folder === undefined && queued.problem?.code === 'take-held') {
      holdForRemovedFolder(journal, queued)
      return null
    }
    const configuredBytes = folder?.part_size_bytes
    const { sizeBytes } = queued.identity
    // A different size means different content, so give up the session. Do this before choosing the part size: the
    // session's part size may be too small for a larger file.
    const hasNewSize = queued.sessionId !== null && journal.parts.bytesOf(queued.id) !== sizeBytes
    if (hasNewSize) {
      journal.givenUp.addSessionOf(queued, 'the size of the file has changed')
      journal.parts.forgetSession(queued.id)
      recordings.patch(queued.id, withoutSession)
    }
    // A session already has a part size, which the service decides (§2.3).
    const partSizeBytes =
      queued.sessionId === null || hasNewSize
        ? this.#planPartSize(queued, configuredBytes)
        : queued.partSizeBytes
    if (partSizeBytes === null) {
      applyDecision(this.world, { kind: 'recording', recording: queued }, { kind: 'file-too-large' })
      return null
    }
    const recording = recordings.transition(
      queued.id,
      'queued',
      { kind: 'hash-started' },
      {
        reason: 'reading the file',
        isRepeat: queued.attempts > 0,
        // If the read fails again, a dismissed problem stays dismissed; a finished hash clears it.
        patch: {
          attempts: queued.attempts,
          ...(queued.problem?.endsBy === 'dismissed' ? { problem: queued.problem } : {}),
        },
      },
    )
    return recording === null ? null : { recording, partSizeBytes }
  }

  /** Keeps the part size of a running hash if it is large enough. */
  #planPartSize({ id, identity }: Recording, configuredBytes: number | undefined): number | null {
    const grownBytes = this.#lane === 'grown' ? this.world.runningHashes.partSizeOf(id) : null
    const planned = planPartSize(identity.sizeBytes, configuredBytes)
    return grownBytes !== null && planned !== null && grownBytes > planned ? grownBytes : planned
  }

  /** If a newer recording has this path and the file differs, the file belongs to the newer recording. */
  #ownIdentity(queued: Recording, found: Outcome<FileIdentity>): Outcome<FileIdentity> {
    if (queued.current || !found.ok || sameFile(found.value, queued.identity)) return found
    return failed({ kind: 'file-changed', detail: 'a newer recording has its path' })
  }

  async #hash({ recording, partSizeBytes }: Claim, signal: AbortSignal): Promise<Outcome<HashResult | null>> {
    const { hashing: threads, runningHashes, progress } = this.world
    const hash = this.#lane === 'grown' ? runningHashes.finish : threads.hash
    const result = await hash({
      id: recording.id,
      path: recording.path,
      identity: recording.identity,
      partSizeBytes,
      onProgress: (bytes) => progress.hashed(recording.id, bytes),
      signal,
    })
    progress.forget(recording.id)
    return result
  }

  #storeDigests(recording: Recording, partSizeBytes: number, result: HashResult): void {
    const { journal } = this.world
    const bytes = recording.identity.sizeBytes
    const total = partCount(bytes, partSizeBytes)
    const hasNewContent = recording.sha256 !== null && recording.sha256 !== result.sha256
    journal.transaction(() => {
      if (hasNewContent) {
        journal.givenUp.addSessionOf(recording, 'the content of the file has changed')
        journal.parts.forgetSession(recording.id)
      }
      journal.parts.replace(
        recording.id,
        result.partSha256.map((sha256, index) => ({
          bytes: partRange(bytes, partSizeBytes, index + 1).length,
          sha256,
        })),
      )
      const parts = journal.parts.of(recording.id)
      // The service computed a different checksum of the same content: send all parts again.
      if (!hasNewContent && recording.mismatches > 0 && parts.every((part) => part.etag !== null))
        journal.parts.resendAll(recording.id)
      journal.recordings.transition(
        recording.id,
        'hashing',
        { kind: 'hashed' },
        {
          reason: hasNewContent
            ? 'hashed again: the content changed, so a new session starts'
            : `hashed${this.#lane === 'grown' ? ' while it was recorded' : ''}, ${plural(total, 'part')}`,
          patch: {
            sha256: result.sha256,
            partSizeBytes,
            partsTotal: total,
            // After a rollback of the journal, the new content may already have a session.
            ...(hasNewContent ? { ...withoutSession, findSessionFirst: true } : {}),
          },
        },
      )
    })
  }
}
