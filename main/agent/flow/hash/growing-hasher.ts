import type { RecordingState } from '../../../../shared/status/status.ts'
import { sameInode } from '../../domain/file-identity.ts'
import { planGrowingPartSize } from '../../domain/part-plan.ts'
import type { RewritingRecorders } from '../../domain/rewriting-recorders.ts'
import type { Recording } from '../../journal/journal.ts'
import { StageOf, type StageWorld } from '../../stage/stage.ts'

/**
 * Hard case: A recording lasts for hours.
 * Sluice hashes up to four large files (96 MiB or more) while they grow, except their last 16 MiB. When such a
 * recording is finished, Sluice hashes the rest at once, ahead of other files.
 */

/**
 * Hard case: Killed while hashing a growing file.
 * Sluice cannot save a running hash. After the restart, it hashes the file from the beginning, even while the file
 * still grows.
 */

const CHECK_INTERVAL_MS = 500
const IDLE_CHECK_INTERVAL_MS = 10_000
/**
 * With thousands of small files, the query for large growing files is slow. So the query may take at most this share of
 * the time, except while a file has enough bytes for another turn.
 */
const MAX_QUERY_SHARE = 0.05
/** Smaller files wait: hashing one takes less time than the settler needs to see that the file is finished. */
const MIN_BYTES = 96 * 1024 ** 2
/**
 * The end of the file is hashed later, because recorders go back to fill in the length of a chunk. A chunk has a few
 * mebibytes. Hashing this many bytes later takes a tenth of a second.
 */
const UNSETTLED_BYTES = 16 * 1024 ** 2
/** After this many bytes, the next file has its turn. So a recording that has just ended does not wait long. */
const BYTES_PER_TURN = 64 * 1024 ** 2
/** Stations record only a few files at a time. Sluice could not keep up with more. */
const MAX_FILES = 4
const MAX_CANDIDATES = 32
const statesBeforeHash: ReadonlySet<RecordingState> = new Set(['growing', 'queued', 'hashing'])

type Needs = 'journal' | 'files' | 'runningHashes' | 'clock' | 'folderOf'

/**
 * Hashes recordings while they grow, so that only the end is left when the recorder stops. The recording stays
 * `growing` in the journal, and the `Hasher` later continues the hash. After a crash, the hash starts again. If the
 * recorder rewrites hashed bytes, the `Hasher` reads the whole file.
 */
export class GrowingHasher extends StageOf<Needs> {
  readonly name = 'hasher of growing files'
  readonly states = ['growing'] as const
  /**
   * The first known size of each file. Only files that have grown since are hashed: otherwise Sluice would read a
   * folder of old files twice.
   */
  readonly #firstSizeBytes = new Map<number, number>()
  readonly #hashedIds = new Set<number>()
  /** Recordings whose recorder rewrote hashed bytes. */
  readonly #rewrittenIds = new Set<number>()
  readonly #rewritingRecorders: RewritingRecorders
  #nextCheckAtMs = 0

  constructor(world: Pick<StageWorld, Needs>, rewritingRecorders: RewritingRecorders) {
    super(world)
    this.#rewritingRecorders = rewritingRecorders
  }

  async step(signal: AbortSignal): Promise<number> {
    const { journal, clock } = this.world
    const nowMs = clock.monotonicMs()
    if (nowMs < this.#nextCheckAtMs) return Math.ceil(this.#nextCheckAtMs - nowMs)
    const growing = journal.work.growingFrom(MIN_BYTES, MAX_CANDIDATES)
    const queryMs = clock.monotonicMs() - nowMs
    this.#nextCheckAtMs = nowMs + Math.max(CHECK_INTERVAL_MS, queryMs / MAX_QUERY_SHARE)
    this.#forgetFinished(growing)
    let isBehind = false
    for (const recording of growing)
      if (!signal.aborted && (await this.#advance(recording, signal))) isBehind = true
    if (isBehind) this.#nextCheckAtMs = nowMs
    if (isBehind) return 0
    return growing.length > 0 ? CHECK_INTERVAL_MS : IDLE_CHECK_INTERVAL_MS
  }

  /** Forgets recordings that no longer grow. Keeps the hash of a finished recording until the `Hasher` has used it. */
  #forgetFinished(growing: readonly Recording[]): void {
    const { journal, runningHashes } = this.world
    const ids = new Set(growing.map(({ id }) => id))
    for (const collection of [this.#firstSizeBytes, this.#rewrittenIds])
      for (const id of collection.keys()) if (!ids.has(id)) collection.delete(id)
    for (const id of this.#hashedIds) {
      if (ids.has(id)) continue
      const recording = journal.recordings.byId(id)
      if (recording !== null && !recording.paused && statesBeforeHash.has(recording.state)) continue
      runningHashes.forget(id)
      this.#hashedIds.delete(id)
    }
  }

  async #advance(recording: Recording, signal: AbortSignal): Promise<boolean> {
    const { files, folderOf, runningHashes } = this.world
    const { id, path, folder } = recording
    if (this.#rewrittenIds.has(id) || this.#rewritingRecorders.isRewriter(recording)) return false
    const identified = await files.identify(path)
    // The watcher and the settler handle missing and replaced files.
    if (!identified.ok || !sameInode(identified.value, recording.identity)) return false
    const { sizeBytes } = identified.value
    const firstBytes = this.#firstSizeBytes.get(id) ?? sizeBytes
    this.#firstSizeBytes.set(id, firstBytes)
    if (!this.#hashedIds.has(id) && (sizeBytes <= firstBytes || this.#hashedIds.size >= MAX_FILES))
      return false
    const configuredBytes = folderOf(folder)?.part_size_bytes
    const partSizeBytes = planGrowingPartSize(
      sizeBytes,
      configuredBytes,
      runningHashes.partSizeOf(id) ?? undefined,
    )
    if (partSizeBytes === null) return false
    this.#hashedIds.add(id)
    const settledBytes = sizeBytes - UNSETTLED_BYTES
    const toBytes = Math.min(settledBytes, runningHashes.bytesOf(id) + BYTES_PER_TURN)
    const result = await runningHashes.advance({
      id,
      path,
      identity: identified.value,
      partSizeBytes,
      toBytes,
      signal,
    })
    if (!result.ok) return false
    if (result.value.kind === 'advanced') return settledBytes - result.value.bytes >= BYTES_PER_TURN
    this.#hashedIds.delete(id)
    if (result.value.rewritten) {
      this.#rewrittenIds.add(id)
      this.#rewritingRecorders.noteRewrite(recording)
    } else this.#firstSizeBytes.delete(id)
    return false
  }
}
