import type { Journal } from '../journal/journal.ts'

const CHECKED_FOR_MS = 7 * 86_400_000

/**
 * Recordings from before this start whose file has vanished. After a rollback of the data folder, the service may have
 * processed their content.
 */
export class VanishedRecordings {
  readonly #journal: Journal
  readonly #startedAtMs: number
  readonly #checked = new Set<number>()

  constructor(journal: Journal, startedAtMs: number) {
    this.#journal = journal
    this.#startedAtMs = startedAtMs
  }

  /** The recordings about which the service has not answered since this start. */
  uncheckedIds(): number[] {
    return this.#journal.recordings
      .vanishedSince(this.#startedAtMs - CHECKED_FOR_MS, { foundBeforeMs: this.#startedAtMs })
      .filter((id) => !this.#checked.has(id))
  }

  markChecked(id: number): void {
    this.#checked.add(id)
  }
}
