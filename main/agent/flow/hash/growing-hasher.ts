import type { RecordingState } from '../../../../shared/status/status.ts'
import { sameInode } from '../../domain/file-identity.ts'
import { planGrowingPartSize } from '../../domain/part-plan.ts'
import type { RewritingRecorders } from '../../domain/rewriting-recorders.ts'
import type { Recording } from '../../journal/journal.ts'
import { StageOf, type StageWorld } from '../../stage/stage.ts'

/**
 * Hard case: A recording lasts for hours.
 * Sluice hashes up to four files of at least 96 MiB while they grow, except the last 16 MiB of each. When a recording
 * is finished, Sluice hashes the rest at once, ahead of the backlog of other files.
 */

/**
 * Hard case: Killed while hashing a growing file.
 * Sluice cannot save a running hash. After the restart, it hashes the file from the beginning again. If the file still
 * grows, Sluice does not wait for the end of the recording.
 */

const CHECK_INTERVAL_MS = 500
const IDLE_CHECK_INTERVAL_MS = 10_000
/**
 * The query for large growing files is slow if there are thousands of small files, so it may take at most this share of
 * the time. If a file has bytes for another turn, this limit does not apply.
 */
const MAX_QUERY_SHARE = 0.05
/** Hashing a smaller file takes less time than the settler needs to see that the file is finished. */
const MIN_BYTES = 96 * 1024 ** 2
/**
 * Sluice does not hash the end of the file yet, because recorders go back to fill in the length of a chunk. A chunk has
 * a few mebibytes at most. Hashing this much after the recording is finished takes a tenth of a second.
 */
const UNSETTLED_BYTES = 16 * 1024 ** 2
/** Switch to the next file after this many bytes, so that a recording that has just ended does not wait long. */
const BYTES_PER_TURN = 64 * 1024 ** 2
/** Stations record a few files at a time. With more files, hashing would keep up with none of them. */
const MAX_FILES = 4
const MAX_CANDIDATES = 32
const statesBeforeHash: ReadonlySet<RecordingState> = new Set(['growing', 'queued', 'hashing'])

type Needs = 'journal' | 'files' | 'runningHashes' | 'clock' | 'folderOf'

/**
 * Hashes recordings while they grow, so that only the end is left when the recorder stops. The journal does not
 * show this hash: the recording stays `growing`, and the `Hasher` later continues the running hash. After a crash, this
 * stage starts again from the beginning. After a rewrite, the `Hasher` reads the whole file.
 */
export class GrowingHasher extends StageOf<Needs> {
  readonly name = 'hasher of growing files'
  readonly states = ['growing'] as const
  /**
   * The size of each file when this stage first saw it. This stage hashes only files that have grown since then.
   * Otherwise Sluice would read a folder of old files twice.
   */
  readonly #firstSizeBytes = new Map<number, number>()
  readonly #hashedIds = new Set<number>()
  /** Recordings whose recorder rewrote bytes that were already hashed. */
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

  /**
   * Keeps the running hash of a finished recording until the `Hasher` has used it, unless the recording is paused.
   * Forgets everything else about recordings that no longer grow.
   */
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

  /** True if enough bytes for one more turn are ready. */
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
