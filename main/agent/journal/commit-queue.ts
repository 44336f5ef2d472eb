import { COMMIT_RETRIES, COMMIT_RETRIES_AT_EXIT, COMMIT_RETRY_DELAY_MS } from '../domain/retry-policy.ts'

/** More at once would keep the event loop from everything else; the rest follows in the next turn. */
const MOST_AT_ONCE = 64

type Asked = {
  readonly work: () => unknown
  readonly tell: (value: unknown) => void
  readonly refuse: (error: unknown) => void
}

type Told = () => void

/** Commits begin no sooner after one another than this; who comes alone does not wait. */
export type CommitPace = { readonly gapMs: number; readonly monotonicMs: () => number }

/**
 * Group commit: what many recordings want written in one turn of the loop is one transaction and one flush of the
 * disk. Nobody hears before the commit, so whoever writes an intent here and waits has it on the disk before acting.
 */
export class CommitQueue {
  readonly #transaction: <T>(work: () => T) => T
  readonly #endsAll: (error: unknown) => boolean
  readonly #isBusy: (error: unknown) => boolean
  readonly #pace: CommitPace | null
  readonly #asked: Asked[] = []
  #tries = 0
  #mostTries = COMMIT_RETRIES
  #begunAtMs = Number.NEGATIVE_INFINITY

  constructor(options: {
    /** Inside another one it is a savepoint: what throws is undone alone. */
    readonly transaction: <T>(work: () => T) => T
    /** After such an error there is no transaction left to go on with. */
    readonly endsAll: (error: unknown) => boolean
    /** Nothing was begun, and a moment later it can be. */
    readonly isBusy: (error: unknown) => boolean
    /** None: what one turn of the loop has brought is one commit, however soon after the last. */
    readonly pace?: CommitPace | null
  }) {
    this.#transaction = options.transaction
    this.#endsAll = options.endsAll
    this.#isBusy = options.isBusy
    this.#pace = options.pace ?? null
  }

  /**
   * The work runs later, and once more where it or another of its turn throws, with nothing left of the first time:
   * whatever it takes for granted of the journal it has to look up itself.
   */
  run<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (this.#asked.length === 0) this.#later()
    this.#asked.push({ work, tell: resolve as (value: unknown) => void, refuse: reject })
    return promise
  }

  /** The agent ends, and main waits 5 s for it: a locked journal is not waited for any longer. */
  stopRetryingSoon(): void {
    this.#mostTries = COMMIT_RETRIES_AT_EXIT
  }

  /**
   * After everything that this turn has brought: the answers of many sockets share the commit. Those of several turns do
   * where one commit would follow upon another, each with the same pages to write and its own flush.
   */
  #later(): void {
    const waitMs = this.#pace === null ? 0 : this.#begunAtMs + this.#pace.gapMs - this.#pace.monotonicMs()
    if (waitMs > 0) setTimeout(() => this.#commit(), waitMs)
    else setImmediate(() => this.#commit())
  }

  #commit(): void {
    this.#begunAtMs = this.#pace?.monotonicMs() ?? 0
    const batch = this.#asked.slice(0, MOST_AT_ONCE)
    let told: readonly Told[]
    try {
      told = this.#write(batch)
    } catch (error) {
      this.#tries += 1
      if (this.#isBusy(error) && this.#tries < this.#mostTries) {
        setTimeout(() => this.#commit(), COMMIT_RETRY_DELAY_MS)
        return
      }
      // Nothing of it happened.
      told = batch.map(
        ({ refuse }) =>
          () =>
            refuse(error),
      )
    }
    this.#tries = 0
    this.#asked.splice(0, batch.length)
    if (this.#asked.length > 0) setImmediate(() => this.#commit())
    for (const tell of told) tell()
  }

  /** Savepoints cost as much as what is written between them, and hardly ever one is undone: they are made only then. */
  #write(batch: readonly Asked[]): readonly Told[] {
    try {
      return this.#transaction(() => batch.map(written))
    } catch (error) {
      if (this.#isBusy(error) || this.#endsAll(error)) throw error
    }
    return this.#transaction(() => batch.map((asked) => this.#writtenApart(asked)))
  }

  /** Throws only what ends it for all of them. */
  #writtenApart(asked: Asked): Told {
    try {
      return this.#transaction(() => written(asked))
    } catch (error) {
      if (this.#endsAll(error)) throw error
      return () => asked.refuse(error)
    }
  }
}

const written = ({ work, tell }: Asked): Told => {
  const value = work()
  return () => tell(value)
}
