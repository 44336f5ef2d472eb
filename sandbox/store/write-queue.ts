import type { Db } from './open.ts'

/**
 * Group commit: all writes that were asked for in one turn of the loop share one transaction and one sync
 * to disk. A caller hears of its result only after the commit, so what is acknowledged is durable, and a
 * thousand clients at once cost a few syncs instead of a thousand.
 */
export class WriteQueue {
  readonly #runAll: (writes: readonly PendingWrite[]) => (() => void)[]
  #pending: PendingWrite[] = []

  constructor(db: Db) {
    // Nested, so each write is a savepoint: one that throws is undone alone.
    const one = db.transaction((work: () => unknown) => work())
    this.#runAll = db.transaction((writes: readonly PendingWrite[]) => writes.map((write) => write.run(one)))
  }

  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.flush())
      this.#pending.push({
        reject,
        run(savepoint) {
          try {
            const result = savepoint(work) as T
            return () => resolve(result)
          } catch (error) {
            return () => reject(error)
          }
        },
      })
    })
  }

  /** Also called before the store closes, so that no accepted write is left behind. */
  flush(): void {
    const writes = this.#pending
    if (writes.length === 0) return
    this.#pending = []
    try {
      for (const settle of this.#runAll(writes)) settle()
    } catch (error) {
      // The commit itself failed (disk full, say): nobody's write happened.
      for (const write of writes) write.reject(error)
    }
  }
}

type PendingWrite = {
  run(savepoint: (work: () => unknown) => unknown): () => void
  reject(error: unknown): void
}
