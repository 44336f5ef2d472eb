import { sameFile, sameInode } from '../../domain/file-identity.ts'
import { noHold } from '../../domain/problems.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'

/** A recorder writes all the time: how soon its file is looked at again. */
const AGAIN_MS = 100

/**
 * What was announced. Of recordings that grow, and did again, a look at each is enough: going through their folder for
 * every write would take a tenth of a core for as long as a recorder writes into a large one.
 */
export class TouchedFiles {
  readonly #world: { readonly journal: Journal; readonly files: Files; readonly clock: Clock }
  readonly #paths = new Set<string>()
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(world: { readonly journal: Journal; readonly files: Files; readonly clock: Clock }) {
    this.#world = world
  }

  get size(): number {
    return this.#paths.size
  }

  add(path: string): void {
    this.#paths.add(path)
  }

  /** When to look; null where nothing was touched. */
  get dueInMs(): number | null {
    if (this.#paths.size === 0) return null
    return Math.max(0, this.#lookedAtMs + AGAIN_MS - this.#world.clock.monotonicMs())
  }

  /** A look through the folder sees them too. */
  clear(): void {
    this.#paths.clear()
  }

  /** False where there is anything else: the folder has to be looked through for it. */
  async look(): Promise<boolean> {
    const { clock } = this.#world
    this.#lookedAtMs = clock.monotonicMs()
    const paths = [...this.#paths]
    // Whatever is announced from here on is looked at once more.
    this.#paths.clear()
    try {
      return await this.#lookAt(paths)
    } catch (error) {
      // The journal could not be asked or written: what was announced has not been seen yet.
      for (const path of paths) this.#paths.add(path)
      throw error
    }
  }

  async #lookAt(paths: readonly string[]): Promise<boolean> {
    const { journal, files } = this.#world
    const { recordings } = journal
    if (recordings.seenBefore(paths).some((seen) => seen?.state !== 'growing')) return false
    const found = await Promise.all(paths.map((path) => files.identify(path)))
    return journal.transaction(() => {
      let areAllThere = true
      for (const [index, path] of paths.entries()) {
        const now = found[index]
        const known = recordings.currentByPath(path)
        if (known?.state !== 'growing' || now?.ok !== true || !sameInode(known.identity, now.value))
          areAllThere = false
        else if (!sameFile(known.identity, now.value))
          recordings.patch(known.id, { identity: now.value, ...noHold })
      }
      return areAllThere
    })
  }
}
