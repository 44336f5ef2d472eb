import type { Db } from './open.ts'

/**
 * Group commit: writes requested in one event-loop turn share one transaction and one sync. A caller gets its result
 * after the commit, so acknowledged data is durable.
 */
export class WriteQueue {
  readonly #runAll: (writes: readonly PendingWrite[]) => (() => void)[]
  #pending: PendingWrite[] = []

  constructor(db: Db) {
    // Nested transactions are savepoints: if a write throws, SQLite rolls back only that write.
    const runOne = db.transaction((work: () => unknown) => work())
    const runAll = db.transaction((writes: readonly PendingWrite[]) =>
      writes.map((write) => write.run(runOne)),
    )
    // Lock the database at the beginning. Otherwise, a transaction that reads and then writes fails if a different
    // process writes in between.
    this.#runAll = runAll.immediate
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

  /** The store also calls this method before it closes, so that no accepted write is lost. */
  flush(): void {
    const writes = this.#pending
    if (writes.length === 0) return
    this.#pending = []
    try {
      for (const settle of this.#runAll(writes)) settle()
    } catch (error) {
      // The shared transaction failed, for example because the disk is full: no write happened.
      for (const write of writes) write.reject(error)
    }
  }
}

type PendingWrite = {
  run(savepoint: (work: () => unknown) => unknown): () => void
  reject(error: unknown): void
}
