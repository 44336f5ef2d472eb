import { type KeyRead, readKeyFile } from './key-file.ts'

/** A tool that replaces the key file may remove the file first, or restrict its rights in a second step. */
const GRACE_PERIOD_MS = 60_000

type Dependencies = {
  readonly clock: { readonly monotonicMs: () => number }
  readonly log: (sentence: string) => void
  readonly read?: (file: string) => KeyRead
}

/**
 * Reads the key file, which the caller polls. If the file becomes unusable, `read` returns the last key for another
 * minute, and then the failure.
 */
export class PolledKeyFile {
  readonly #dependencies: Dependencies
  #file: string | null = null
  #key: string | null = null
  #unusableSinceMs: number | null = null

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  read(file: string): KeyRead {
    const { clock, log, read = readKeyFile } = this.#dependencies
    const found = read(file)
    if (file !== this.#file) {
      this.#file = file
      this.#key = null
    }
    if (found.ok) {
      if (this.#unusableSinceMs !== null && this.#key !== null) log(`The key file ${file} can be read again.`)
      this.#unusableSinceMs = null
      this.#key = found.key
      return found
    }
    if (this.#key === null) return found
    if (this.#unusableSinceMs === null) {
      this.#unusableSinceMs = clock.monotonicMs()
      log(`${found.sentence} Sluice uses the last key for another minute.`)
    }
    if (clock.monotonicMs() - this.#unusableSinceMs < GRACE_PERIOD_MS) return { ok: true, key: this.#key }
    this.#key = null
    return found
  }
}
