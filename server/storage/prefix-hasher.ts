import type { RequestLog } from '../context.ts'
import type { Metrics } from '../metrics.ts'
import { type PartPlan, partCount } from '../part-plan.ts'
import { type PartRow, parts } from '../store/parts.ts'
import { prefixHashes } from '../store/prefix-hashes.ts'
import { sessions } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { type ByteStore, MissingBytesError } from './byte-store.ts'
import { loadPrefix, prefixRow } from './prefix-hash.ts'
import { createResumableSha256, type ResumableSha256 } from './resumable-sha256.ts'

export type PrefixHasherDependencies = {
  readonly store: Store
  readonly bytes: ByteStore
  readonly log: RequestLog
  readonly metrics: Metrics
  readonly minBytes: number
}

/**
 * Hashes the first parts of a session while later parts still arrive, so that completion reads only the rest. The
 * state is in the store, so any instance can continue. This only saves time, so the hasher does not retry after an
 * error. Missing bytes are no error: the session was deleted or a part was replaced.
 */
export class PrefixHasher {
  readonly #dependencies: PrefixHasherDependencies
  readonly #waiting = new Set<string>()
  #running: Promise<void> | null = null
  #isStopped = false

  constructor(dependencies: PrefixHasherDependencies) {
    this.#dependencies = dependencies
  }

  /** Call it after a part was stored. */
  wake(session: PartPlan & { readonly id: string }): void {
    // With a single part, hashing it early saves no time, because completion follows at once.
    if (this.#isStopped || session.bytes < this.#dependencies.minBytes || partCount(session) === 1) return
    this.#waiting.add(session.id)
    this.#start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  #start(): void {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = null
      // A session may have been added after the queue was found empty.
      if (this.#waiting.size > 0 && !this.#isStopped) this.#start()
    })
  }

  async #runAll(): Promise<void> {
    for (const sessionId of this.#waiting) {
      // Remove the session first, because a part that arrives meanwhile adds it again.
      this.#waiting.delete(sessionId)
      if (this.#isStopped) return
      await this.#runIfFree(sessionId).catch((error: unknown) => {
        if (!(error instanceof MissingBytesError))
          this.#dependencies.log(`${sessionId} prefix not hashed: ${String(error)}`)
      })
    }
  }

  async #runIfFree(sessionId: string): Promise<void> {
    const { store } = this.#dependencies
    const release = await store.claims.take(`prefix ${sessionId}`)
    if (release === null) return
    try {
      await this.#run(sessionId)
    } finally {
      await release()
    }
  }

  async #run(sessionId: string): Promise<void> {
    const { store } = this.#dependencies
    const storedParts = partsBeforeGap(await store.read(parts.ofSession(sessionId)))
    const knownPrefix = await loadPrefix(await store.read(prefixHashes.get(sessionId)), storedParts)
    const hash = knownPrefix?.hash ?? (await createResumableSha256())
    for (let count = knownPrefix?.parts ?? 0; count < storedParts.length; count += 1) {
      if (!(await this.#addPart(hash, storedParts[count]!))) return
      const row = prefixRow(storedParts.slice(0, count + 1), hash)
      const isSaved = await store.write(function* () {
        if ((yield* sessions.lock(sessionId))?.status !== 'uploading') return false
        yield* prefixHashes.put(row)
        return true
      })
      // The session was completed or deleted meanwhile.
      if (!isSaved) return
      this.#dependencies.metrics.countPrefixHashed(storedParts[count]!.bytes)
    }
  }

  /** False if the server stops before the whole part is hashed. */
  async #addPart(hash: ResumableSha256, part: PartRow): Promise<boolean> {
    for await (const chunk of this.#dependencies.bytes.chunks(part.file)) {
      if (this.#isStopped) return false
      hash.update(chunk)
    }
    return true
  }
}

/** The parts before the first missing part. */
function partsBeforeGap(storedParts: readonly PartRow[]): readonly PartRow[] {
  const gapIndex = storedParts.findIndex((part, index) => part.number !== index + 1)
  return gapIndex === -1 ? storedParts : storedParts.slice(0, gapIndex)
}
