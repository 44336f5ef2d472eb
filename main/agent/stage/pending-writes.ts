import type { Journal } from '../journal/journal.ts'
import type { ReportError } from './error-reporter.ts'

/**
 * Hard case: The settings change while the disk of the journal is full, or while another program locks the journal.
 * Sluice keeps the change in memory until it can write it.
 */

/**
 * Keeps refused writes and retries them, because no later call would repeat them. A newer write replaces a refused one
 * of the same name.
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

  /** Writes at once. If the journal refuses the write, returns false, and `retry` repeats it. */
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

  /** Waits for the end of a lock. Resolves even if the journal refuses the write. */
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
