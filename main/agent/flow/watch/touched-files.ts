import type { Paths } from '../../../../shared/paths/paths.ts'
import { sameFile, sameInode } from '../../domain/file-identity.ts'
import { noHold } from '../../domain/problems.ts'
import { ROSBAG2_MARKER } from '../../domain/takes.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'

/**
 * Hard case: A recorder writes into a large folder.
 * For each write, Sluice checks only the changed file, not the whole folder.
 */

/** Recorders write all the time, so check their files at most this often. */
const MIN_CHECK_INTERVAL_MS = 100

type World = {
  readonly journal: Journal
  readonly files: Files
  readonly clock: Clock
  readonly paths: Paths
}

/**
 * Paths with new events. If all of them are growing recordings, checking these files is enough. A full scan for every
 * write would take a tenth of a core while a recorder writes to a large folder.
 */
export class TouchedFiles {
  readonly #world: World
  readonly #paths = new Set<string>()
  #checkedAtMs = Number.NEGATIVE_INFINITY

  constructor(world: World) {
    this.#world = world
  }

  get size(): number {
    return this.#paths.size
  }

  add(path: string): void {
    this.#paths.add(path)
  }

  /** Time until the next check; null if there are no events. */
  get dueInMs(): number | null {
    if (this.#paths.size === 0) return null
    return Math.max(0, this.#checkedAtMs + MIN_CHECK_INTERVAL_MS - this.#world.clock.monotonicMs())
  }

  /** Call before a full scan, because the scan also checks these files. */
  clear(): void {
    this.#paths.clear()
  }

  /** Returns false if checking the files is not enough, so that the folder needs a full scan. */
  async check(): Promise<boolean> {
    const { clock } = this.#world
    this.#checkedAtMs = clock.monotonicMs()
    const paths = [...this.#paths]
    // Clear before the check, so that events during the check cause one more check.
    this.#paths.clear()
    try {
      return await this.#checkFiles(paths)
    } catch (error) {
      // The journal failed, so these events are not handled yet.
      for (const path of paths) this.#paths.add(path)
      throw error
    }
  }

  async #checkFiles(touched: readonly string[]): Promise<boolean> {
    const { journal, files, paths } = this.#world
    const { recordings } = journal
    if (recordings.seenBefore(touched).some((recording) => recording?.state !== 'growing')) return false
    // When the metadata of a bag changes, its files must be inspected again, and only a full scan does this.
    if (touched.some((path) => paths.nameOf(path) === ROSBAG2_MARKER)) return false
    const identities = await Promise.all(touched.map((path) => files.identify(path)))
    return journal.transaction(() => {
      let areAllGrowing = true
      for (const [index, path] of touched.entries()) {
        const identity = identities[index]
        const recording = recordings.currentByPath(path)
        if (
          recording?.state !== 'growing' ||
          identity?.ok !== true ||
          !sameInode(recording.identity, identity.value)
        )
          areAllGrowing = false
        else if (!sameFile(recording.identity, identity.value))
          recordings.patch(recording.id, { identity: identity.value, ...noHold })
      }
      return areAllGrowing
    })
  }
}
