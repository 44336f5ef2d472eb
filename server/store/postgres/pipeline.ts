/** The queries whose answers a transaction awaits only at its end. PostgreSQL answers them in order. */
export class Pipeline {
  readonly #answers: Promise<unknown>[] = []

  add(answer: Promise<unknown>): void {
    // `end` and `firstFailure` report a failure. Until the store calls them, this listener keeps Node from ending the
    // process.
    answer.catch(() => {})
    this.#answers.push(answer)
  }

  /** Resolves when all queries have succeeded. */
  async end(): Promise<void> {
    await Promise.all(this.#answers)
  }

  /** The reason why the transaction failed. The errors of later queries only say that an earlier one failed. */
  async firstFailure(): Promise<unknown> {
    for (const answer of this.#answers) {
      const failure = await answer.then(
        () => null,
        (error: unknown) => error,
      )
      if (failure !== null) return failure
    }
    return null
  }
}
