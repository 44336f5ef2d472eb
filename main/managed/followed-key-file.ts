import { type KeyRead, readKeyFile } from './key-file.ts'

/** A tool that replaces the file removes it first, or writes it and closes it to others in a second step. */
const BRIEFLY_MS = 60_000

type World = {
  readonly clock: { readonly monotonicMs: () => number }
  readonly log: (sentence: string) => void
  readonly read?: (file: string) => KeyRead
}

/**
 * The key file that the settings name, read again and again. A file that cannot be used for a moment takes no key away:
 * the last one holds, and that is logged. After a minute it is gone, and the reason is the station's problem.
 */
export class FollowedKeyFile {
  readonly #world: World
  #file: string | null = null
  #key: string | null = null
  #badSinceMs: number | null = null

  constructor(world: World) {
    this.#world = world
  }

  read(file: string): KeyRead {
    const { clock, log, read = readKeyFile } = this.#world
    const found = read(file)
    if (file !== this.#file) {
      this.#file = file
      this.#key = null
    }
    if (found.ok) {
      if (this.#badSinceMs !== null && this.#key !== null) log(`The key file ${file} can be read again.`)
      this.#badSinceMs = null
      this.#key = found.key
      return found
    }
    if (this.#key === null) return found
    if (this.#badSinceMs === null) {
      this.#badSinceMs = clock.monotonicMs()
      log(`${found.sentence} The key that was read before is used for another minute.`)
    }
    if (clock.monotonicMs() - this.#badSinceMs < BRIEFLY_MS) return { ok: true, key: this.#key }
    this.#key = null
    return found
  }
}
