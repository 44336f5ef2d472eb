/** The queries whose answers a transaction awaits only at its end. PostgreSQL answers them in order. */
export class Pipeline {
  readonly #answers: Promise<unknown>[] = []

  add(answer: Promise<unknown>): void {
    // `end` and `firstFailure` report a failure. Without this listener, Node would end the process before the store
    // calls them.
    answer.catch(() => {})
    this.#answers.push(answer)
  }

  /** Resolves when all queries have succeeded. */
  async end(): Promise<void> {
    await Promise.all(this.#answers)
  }

  /**
   * The reason why the transaction failed. After a failed query, PostgreSQL refuses all later queries with an error
   * that does not name the reason.
   */
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
