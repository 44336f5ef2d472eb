import type { Journal } from '../journal/journal.ts'
import type { ReportError } from './error-reporter.ts'

/**
 * Hard case: The disk of the journal is full, or another program locks the journal, when the settings change.
 * Sluice remembers what it could not write, and writes it once the journal accepts writes again.
 */

/**
 * Writes facts that no later call would write again. Each write has a name, for the log. A newer write replaces a
 * refused one of the same name.
 */
export class PendingWrites {
  readonly #journal: Pick<Journal, 'transaction' | 'commit'>
  readonly #reportError: ReportError
  readonly #refused = new Map<string, () => void>()

  constructor(needs: {
    readonly journal: Pick<Journal, 'transaction' | 'commit'>
    readonly reportError: ReportError
  }) {
    this.#journal = needs.journal
    this.#reportError = needs.reportError
  }

  /** Writes at once, or in `retry` if the journal refuses the write. Returns whether it was accepted at once. */
  write(name: string, work: () => void): boolean {
    this.#refused.delete(name)
    try {
      this.#journal.transaction(work)
      return true
    } catch (error) {
      this.#keepIfRefused(name, work, error)
      return false
    }
  }

  /** Waits for the end of a lock, as every commit does. Resolves even if the journal refuses the write. */
  async commit(name: string, work: () => void): Promise<void> {
    this.#refused.delete(name)
    await this.#journal.commit(work).catch((error: unknown) => this.#keepIfRefused(name, work, error))
  }

  /** Call this each second, unless the disk is known to be full. */
  retry(): void {
    for (const [name, work] of [...this.#refused]) this.write(name, work)
  }

  #keepIfRefused(name: string, work: () => void, error: unknown): void {
    const cause = this.#reportError(error, name)
    if (cause === 'busy' || cause === 'disk-full') this.#refused.set(name, work)
  }
}
