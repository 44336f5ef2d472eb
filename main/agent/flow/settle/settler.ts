import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { Failure } from '../../domain/failure.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { LARGEST_RECORDING_BYTES } from '../../domain/part-plan.ts'
import { noHold } from '../../domain/problems.ts'
import type { GrowingFile } from '../../journal/journal.ts'
import { carryOut } from '../../stage/apply-decision.ts'
import { StageOf } from '../../stage/stage.ts'

/** A file whose format says "unfinished" may have lost its recorder: it waits this many settle times more. */
const UNFINISHED_PATIENCE = 10
/** Where the system does not tell who is writing, a recorder may only be pausing: it has this many settle times. */
const UNSEEN_PATIENCE = 3
const LOOK_MS = 1_000
const CHECKS_PER_COMMIT = 200
const CHECKS_AT_ONCE = 8
/** Every change in the journal is a hint; with thousands of growing files each look at them costs something. */
const SHORTEST_GAP_MS = 50
/** A look through the growing files may take at most this share of the time. */
const LOOK_SHARE = 0.2

type Quiet = {
  readonly identity: FileIdentity
  readonly sinceMs: number
  /** What it looked like when it seemed finished, where its writer cannot be seen. */
  readonly sample: string | null
}
type Due = { readonly file: GrowingFile; readonly quiet: Quiet }

/**
 * Tells when a recording is finished. The quiet time is measured on the monotonic clock and in memory only:
 * after a restart a file has to stand still again, which costs seconds and trusts nobody's clock.
 */
export class Settler extends StageOf<'journal' | 'files' | 'clock' | 'random' | 'folderOf' | 'station'> {
  readonly name = 'settler'
  readonly takes = ['growing'] as const
  readonly #quiet = new Map<number, Quiet>()
  #lookAgainAtMs = 0

  async step(signal: AbortSignal): Promise<number> {
    const { journal, clock } = this.world
    const startedAtMs = clock.monotonicMs()
    if (startedAtMs < this.#lookAgainAtMs) return Math.ceil(this.#lookAgainAtMs - startedAtMs)
    const growing = journal.work.growing()
    const ids = new Set(growing.map((file) => file.id))
    for (const id of this.#quiet.keys()) if (!ids.has(id)) this.#quiet.delete(id)
    let soonestMs = LOOK_MS * 10
    const due: Due[] = []
    for (const file of growing) {
      const quiet = this.#quietOf(file)
      const heldMs = file.nextAttemptAtMs - clock.wallMs()
      const waitMs = Math.max(quiet.sinceMs + this.#quietMs(file, quiet) - startedAtMs, heldMs)
      if (waitMs <= 0) due.push({ file, quiet })
      soonestMs = Math.min(soonestMs, waitMs > 0 ? waitMs : LOOK_MS)
    }
    const tookMs = clock.monotonicMs() - startedAtMs
    // Thirty thousand files dropped at once are a hundred and fifty commits, not thirty thousand.
    for (let from = 0; from < due.length && !signal.aborted; from += CHECKS_PER_COMMIT)
      await this.#settle(due.slice(from, from + CHECKS_PER_COMMIT))
    this.#lookAgainAtMs = clock.monotonicMs() + Math.max(SHORTEST_GAP_MS, tookMs / LOOK_SHARE)
    return soonestMs
  }

  async #settle(due: readonly Due[]): Promise<void> {
    const verdicts: (() => void)[] = []
    for (let from = 0; from < due.length; from += CHECKS_AT_ONCE) {
      const some = due.slice(from, from + CHECKS_AT_ONCE)
      const found = await Promise.all(some.map(({ file, quiet }) => this.#check(file, quiet)))
      for (const apply of found) if (apply !== null) verdicts.push(apply)
    }
    if (verdicts.length === 0) return
    this.world.journal.transaction(() => {
      for (const apply of verdicts) apply()
    })
  }

  #folderOf(file: GrowingFile): FolderSettings | undefined {
    return this.world.folderOf(file.folder)
  }

  #settleMs(file: GrowingFile): number {
    return (this.#folderOf(file)?.settle_seconds ?? 10) * 1000
  }

  #quietMs(file: GrowingFile, quiet: Quiet): number {
    return this.#settleMs(file) * (quiet.sample === null ? 1 : UNSEEN_PATIENCE)
  }

  #quietOf(file: GrowingFile): Quiet {
    const known = this.#quiet.get(file.id)
    if (known !== undefined && sameFile(known.identity, file.identity)) return known
    const quiet = { identity: file.identity, sinceMs: this.world.clock.monotonicMs(), sample: null }
    this.#quiet.set(file.id, quiet)
    return quiet
  }

  async #check(file: GrowingFile, quiet: Quiet): Promise<(() => void) | null> {
    const { journal, files, clock } = this.world
    const { recordings } = journal
    const now = await files.identify(file.path)
    if (!now.ok) {
      // A vanished file is the watcher's to tell: the folder may only be offline.
      this.#quiet.set(file.id, { ...quiet, sinceMs: clock.monotonicMs() })
      return now.failure.kind === 'file-vanished' ? null : this.#wait(file, now.failure)
    }
    const identity = now.value
    if (!sameFile(identity, quiet.identity)) return () => recordings.patch(file.id, { identity, ...noHold })
    const marker = this.#folderOf(file)?.marker_suffix
    if (marker !== undefined && !(await files.exists(file.path + marker))) return null
    const inspected = await files.inspect(file.path)
    if (!inspected.ok)
      return inspected.failure.kind === 'file-vanished' ? null : this.#wait(file, inspected.failure)
    // Also an empty file: its recorder may only not have written yet.
    const { writer, complete, format, sample } = inspected.value
    if (writer === 'open') return file.problemCode === null ? null : () => recordings.patch(file.id, noHold)
    // A marker and an MCAP's closing bytes are the recorder's own word.
    const hasWord = marker !== undefined || (format === 'mcap' && complete === 'yes')
    if (writer === 'unseen' && !hasWord && !this.#stillAfter(file, quiet, sample)) return null
    if (identity.sizeBytes === 0) return this.#wait(file, { kind: 'file-empty' })
    if (identity.sizeBytes > LARGEST_RECORDING_BYTES) return this.#wait(file, { kind: 'file-too-large' })
    const unfinished = complete === 'no'
    if (unfinished && clock.monotonicMs() - quiet.sinceMs < this.#settleMs(file) * UNFINISHED_PATIENCE)
      return file.problemCode === 'file-damaged' ? null : this.#wait(file, { kind: 'file-unfinished' })
    const reason = unfinished
      ? 'incomplete; uploaded as is'
      : `unchanged for ${this.#quietMs(file, quiet) / 1000} s`
    return () => {
      recordings.transition(file.id, 'growing', { kind: 'settled' }, { reason })
    }
  }

  /** Size and times say that it stands still, and so do its bytes, twice with a good while in between. */
  #stillAfter(file: GrowingFile, quiet: Quiet, sample: string): boolean {
    const nowMs = this.world.clock.monotonicMs()
    const isSame = quiet.sample === null || quiet.sample === sample
    // One that was held all the while has its first look late, and its second no sooner after it.
    const firstSinceMs = Math.max(quiet.sinceMs, nowMs - this.#settleMs(file))
    if (quiet.sample !== sample)
      this.#quiet.set(file.id, { ...quiet, sample, sinceMs: isSame ? firstSinceMs : nowMs })
    return quiet.sample === sample && nowMs - quiet.sinceMs >= this.#quietMs(file, quiet)
  }

  #wait(file: GrowingFile, failure: Failure): () => void {
    return () => {
      const recording = this.world.journal.recordings.byId(file.id)
      if (recording?.state === 'growing') carryOut(this.world, { kind: 'recording', recording }, failure)
    }
  }
}
