import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { ProblemCode } from '../../../../shared/status/problem.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { isRosbag2, ROSBAG2_MARKER, rosbag2Files, takeName } from '../../domain/takes.ts'
import type { GrowingFile } from '../../journal/journal.ts'
import type { StageWorld } from '../../stage/stage.ts'

/**
 * Hard case: A file of a take is finished, and its recorder still writes the others.
 * Sluice uploads the files of a take only once all of them are finished, because each session lists all files of its take.
 */

/**
 * Hard case: rosbag2 crashed, so its folder never gets `metadata.yaml`.
 * Sluice waits longer, then uploads the files as they are.
 */

/** rosbag2 lists all files and topics in its metadata, a few kilobytes for each topic. */
const MAX_METADATA_BYTES = 4 * 1024 * 1024

/** A member with one of these problems never finishes by itself, so it does not hold back the others. */
const endlessProblems: readonly (string | null)[] = [
  'empty-file',
  'file-too-large',
] satisfies readonly ProblemCode[]

type FinishedFile = { readonly identity: FileIdentity; readonly settle: (isCutOff: boolean) => void }
type World = Pick<StageWorld, 'files' | 'paths' | 'journal'>

export type QuietTimes = {
  readonly quietMs: (file: GrowingFile) => number
  readonly settleMs: number
  /** How long a take without its marker must be quiet. */
  readonly unmarkedMs: number
}

/** A take whose files are all finished. It settles in `waitMs`; at once if that is 0 or less. */
export type FinishedTake = {
  readonly files: readonly GrowingFile[]
  readonly waitMs: number
  readonly settle: () => void
}

/**
 * Keeps the finished files of each take until the whole take is finished. Kept in memory only: after a restart, each file
 * is checked again.
 */
export class FinishedTakes {
  readonly #world: World
  readonly #finished = new Map<number, FinishedFile>()

  constructor(world: World) {
    this.#world = world
  }

  has({ id, identity, take }: GrowingFile): boolean {
    const finished = this.#finished.get(id)
    return take !== null && finished !== undefined && sameFile(finished.identity, identity)
  }

  add({ id }: GrowingFile, finished: FinishedFile): void {
    this.#finished.set(id, finished)
  }

  forget(id: number): void {
    this.#finished.delete(id)
  }

  /** The takes among the growing files that have no unfinished file. */
  async find(
    growing: readonly GrowingFile[],
    timesOf: (file: GrowingFile) => QuietTimes,
    folderOf: (file: GrowingFile) => FolderSettings | undefined,
  ): Promise<readonly FinishedTake[]> {
    if (this.#finished.size === 0) return []
    const byTake = new Map<string, GrowingFile[]>()
    for (const file of growing) {
      if (file.take === null || file.isDismissed || endlessProblems.includes(file.problemCode)) continue
      const files = byTake.get(file.take)
      if (files === undefined) byTake.set(file.take, [file])
      else files.push(file)
    }
    const takes: FinishedTake[] = []
    for (const [take, files] of byTake) {
      const [first] = files
      if (first === undefined || !files.every((file) => this.has(file))) continue
      const mode = folderOf(first)?.take
      const mark = mode === 'folder' ? await this.#markOf(take) : 'none'
      const { settleMs, unmarkedMs, quietMs } = timesOf(first)
      const requiredMs = { marked: 0, none: settleMs, missing: unmarkedMs }[mark]
      const settle = () => {
        for (const { id } of files) this.#finished.get(id)?.settle(mark === 'missing')
      }
      takes.push({ files, waitMs: requiredMs - Math.min(...files.map(quietMs)), settle })
    }
    return takes
  }

  /** `marked`: the recorder has closed the whole take. `none`: the take's format has no marker. */
  async #markOf(take: string): Promise<'marked' | 'none' | 'missing'> {
    const { files, paths, journal } = this.#world
    const members = journal.takes.members(take).map(({ path }) => paths.nameInside(take, path) ?? '')
    if (!isRosbag2(takeName(take, paths), members)) return 'none'
    const metadata = await files.readText(paths.join(take, ROSBAG2_MARKER), MAX_METADATA_BYTES)
    if (!metadata.ok || metadata.value === null) return 'missing'
    // A copy tool may write the metadata before the files that it lists.
    const listed = rosbag2Files(metadata.value).map((name) => paths.join(take, name))
    const areThere = await Promise.all(listed.map((file) => files.exists(file)))
    return areThere.every((isThere) => isThere) ? 'marked' : 'missing'
  }
}
