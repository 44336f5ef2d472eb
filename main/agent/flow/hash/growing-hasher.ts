import type { RecordingState } from '../../../../shared/status/status.ts'
import { sameInode } from '../../domain/file-identity.ts'
import { planGrowingPartSize } from '../../domain/part-plan.ts'
import type { Rewriters } from '../../domain/rewriters.ts'
import type { Recording } from '../../journal/journal.ts'
import { StageOf, type StageWorld } from '../../stage/stage.ts'

const LOOK_MS = 500
const IDLE_LOOK_MS = 10_000
/** Where thousands of small files arrive, looking for large ones among them may take this share of the time. */
const LOOK_SHARE = 0.05
/** Below this, all of it is hashed in less time than it takes to tell that it is finished. */
const SMALLEST_BYTES = 96 * 1024 ** 2
/**
 * What was written last is left alone: writers of chunks go back to fill in how long the chunk became. A few mebibytes
 * are the largest that are usual, and so much is hashed at the end in a tenth of a second.
 */
const UNSETTLED_BYTES = 16 * 1024 ** 2
/** Then the next file has its turn, and a recording that has just ended its own. */
const STRETCH_BYTES = 64 * 1024 ** 2
/** A station records a handful of files at a time; more would only mean that none of them keeps pace. */
const MOST_FOLLOWED = 4
/** Of those that grow, so many are looked at. */
const MOST_LOOKED_AT = 32
const awaitsHash: ReadonlySet<RecordingState> = new Set(['growing', 'queued', 'hashing'])

type Needs = 'journal' | 'files' | 'runningHashes' | 'clock' | 'folderOf'

/**
 * Hashes recordings while they grow, as far as they have settled, so that only the end is left when the recorder
 * stops. Nothing of it is in the journal: a recording is growing until the settler says otherwise, and the hasher
 * asks for what there is. What was lost in a kill, or is no longer true, is read again.
 */
export class GrowingHasher extends StageOf<Needs> {
  readonly name = 'hasher of growing files'
  readonly takes = ['growing'] as const
  /** As each was when it was first seen: only what grows is followed, or a folder of old files would be read twice. */
  readonly #firstSeen = new Map<number, number>()
  readonly #followed = new Set<number>()
  /** Their writers go back to what they wrote, which shows when they grow on. */
  readonly #rewritten = new Set<number>()
  readonly #rewriters: Rewriters
  #lookAgainAtMs = 0

  constructor(world: Pick<StageWorld, Needs>, rewriters: Rewriters) {
    super(world)
    this.#rewriters = rewriters
  }

  async step(signal: AbortSignal): Promise<number> {
    const { journal, clock } = this.world
    const nowMs = clock.monotonicMs()
    if (nowMs < this.#lookAgainAtMs) return Math.ceil(this.#lookAgainAtMs - nowMs)
    const growing = journal.work.growingFrom(SMALLEST_BYTES, MOST_LOOKED_AT)
    const tookMs = clock.monotonicMs() - nowMs
    this.#lookAgainAtMs = nowMs + Math.max(LOOK_MS, tookMs / LOOK_SHARE)
    this.#letGo(growing)
    let isBehind = false
    for (const recording of growing)
      if (!signal.aborted && (await this.#goOn(recording, signal))) isBehind = true
    if (isBehind) this.#lookAgainAtMs = nowMs
    if (isBehind) return 0
    return growing.length > 0 ? LOOK_MS : IDLE_LOOK_MS
  }

  /** What is finished is the hasher's until it is hashed; everything else that no longer grows is forgotten. */
  #letGo(growing: readonly Recording[]): void {
    const { journal, runningHashes } = this.world
    const ids = new Set(growing.map(({ id }) => id))
    for (const seen of [this.#firstSeen, this.#rewritten])
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id)
    for (const id of this.#followed) {
      if (ids.has(id)) continue
      const recording = journal.recordings.byId(id)
      if (recording !== null && !recording.paused && awaitsHash.has(recording.state)) continue
      runningHashes.forget(id)
      this.#followed.delete(id)
    }
  }

  /** True where more of it has settled than was hashed in its turn. */
  async #goOn(recording: Recording, signal: AbortSignal): Promise<boolean> {
    const { files, folderOf, runningHashes } = this.world
    const { id, path, folder } = recording
    if (this.#rewritten.has(id) || this.#rewriters.isOne(recording)) return false
    const found = await files.identify(path)
    // The watcher and the settler tell what has become of it.
    if (!found.ok || !sameInode(found.value, recording.identity)) return false
    const { sizeBytes } = found.value
    const firstBytes = this.#firstSeen.get(id) ?? sizeBytes
    this.#firstSeen.set(id, firstBytes)
    if (!this.#followed.has(id) && (sizeBytes <= firstBytes || this.#followed.size >= MOST_FOLLOWED))
      return false
    const wish = folderOf(folder)?.part_size_bytes
    const partSizeBytes = planGrowingPartSize(sizeBytes, wish, runningHashes.partSizeOf(id) ?? undefined)
    if (partSizeBytes === null) return false
    this.#followed.add(id)
    const settledBytes = sizeBytes - UNSETTLED_BYTES
    const toBytes = Math.min(settledBytes, runningHashes.bytesOf(id) + STRETCH_BYTES)
    const advance = await runningHashes.advance({
      id,
      path,
      identity: found.value,
      partSizeBytes,
      toBytes,
      signal,
    })
    if (!advance.ok) return false
    if (advance.value.kind === 'advanced') return settledBytes - advance.value.bytes >= STRETCH_BYTES
    this.#followed.delete(id)
    if (advance.value.rewritten) {
      this.#rewritten.add(id)
      this.#rewriters.wentBack(recording)
    } else this.#firstSeen.delete(id)
    return false
  }
}
