import { MAX_ROSBAG2_METADATA_BYTES, rosbag2Files } from '../../../../shared/paths/rosbag2-files.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { ProblemCode } from '../../../../shared/status/problem.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { CUT_OFF_REASON } from '../../domain/problems.ts'
import { isRosbag2, lastRosbag2File, ROSBAG2_MARKER, takeName } from '../../domain/takes.ts'
import type { GrowingFile } from '../../journal/journal.ts'
import type { StageWorld } from '../../stage/stage.ts'

/**
 * Hard case: One file of a take is finished, and its recorder still writes the other files.
 * Sluice uploads the files of a take only once all are finished, because each session lists all files of its take.
 */

/**
 * Hard case: rosbag2 crashed, so its folder never gets `metadata.yaml`.
 * After the settle time, Sluice reports the last file as cut off. After ten times the settle time, it uploads the files
 * as they are.
 */

/** A file with one of these problems never finishes by itself, so it does not hold back the other files of its take. */
const endlessProblems: readonly (string | null)[] = [
  'empty-file',
  'file-too-large',
] satisfies readonly ProblemCode[]

const holdsBackTake = (isDismissed: boolean, problemCode: string | null): boolean =>
  !isDismissed && !endlessProblems.includes(problemCode)

type FinishedFile = { readonly identity: FileIdentity; readonly settle: (takeReason: string | null) => void }
type World = Pick<StageWorld, 'files' | 'paths' | 'journal'>

export type QuietTimes = {
  readonly quietMs: (file: GrowingFile) => number
  readonly settleMs: number
  /** How long a take must be quiet if `metadata.yaml`, or a file that it lists, is missing. */
  readonly unmarkedMs: number
}

/** A take with growing files. It settles after `waitMs`, or at once if `waitMs` is 0 or less. */
export type GrowingTake = {
  readonly files: readonly GrowingFile[]
  /** Infinite while a file is not finished. */
  readonly waitMs: number
  /** The name of an unfinished or missing file. Null if there is none. */
  readonly waitsFor: string | null
  /** The file that the recorder wrote last before it crashed. Null if nothing shows a crash. */
  readonly crashedFile: GrowingFile | null
  readonly settle: () => void
}

/** `missing`: the file `name` of the take does not exist yet. */
type Mark = { readonly kind: 'marked' | 'none' } | { readonly kind: 'missing'; readonly name: string }

/**
 * Remembers the finished files of each take until the whole take is finished. After a restart, each file is checked
 * again.
 */
export class FinishedTakes {
  readonly #world: World
  readonly #finished = new Map<number, FinishedFile>()

  constructor(world: World) {
    this.#world = world
  }

  has({ id, identity, take }: Pick<GrowingFile, 'id' | 'identity' | 'take'>): boolean {
    const finished = this.#finished.get(id)
    return take !== null && finished !== undefined && sameFile(finished.identity, identity)
  }

  add({ id }: GrowingFile, finished: FinishedFile): void {
    this.#finished.set(id, finished)
  }

  forget(id: number): void {
    this.#finished.delete(id)
  }

  /** Returns the takes of the growing files, or none if no file is finished. */
  async find(
    growing: readonly GrowingFile[],
    timesOf: (file: GrowingFile) => QuietTimes,
    folderOf: (file: GrowingFile) => FolderSettings | undefined,
  ): Promise<readonly GrowingTake[]> {
    if (this.#finished.size === 0) return []
    const byTake = new Map<string, GrowingFile[]>()
    for (const file of growing) {
      if (file.take === null || !holdsBackTake(file.isDismissed, file.problemCode)) continue
      const files = byTake.get(file.take)
      if (files === undefined) byTake.set(file.take, [file])
      else files.push(file)
    }
    const takes: GrowingTake[] = []
    for (const [take, files] of byTake) {
      const [first] = files
      if (first === undefined) continue
      const unfinished = files.find((file) => !this.has(file))
      if (unfinished !== undefined) {
        const waitsFor = this.#world.paths.nameOf(unfinished.path)
        takes.push({ files, waitMs: Number.POSITIVE_INFINITY, waitsFor, crashedFile: null, settle: () => {} })
        continue
      }
      const mode = folderOf(first)?.take
      const mark: Mark = mode === 'folder' ? await this.#markOf(take) : { kind: 'none' }
      const { settleMs, unmarkedMs, quietMs } = timesOf(first)
      const requiredMs = { marked: 0, none: settleMs, missing: unmarkedMs }[mark.kind]
      let shortestQuietMs = Number.POSITIVE_INFINITY
      for (const file of files) shortestQuietMs = Math.min(shortestQuietMs, quietMs(file))
      const waitsFor = mark.kind === 'missing' ? mark.name : null
      // A running recorder may pause between two files, but it begins the next one within the settle time.
      const isCrashed = waitsFor === ROSBAG2_MARKER && shortestQuietMs >= settleMs
      const crashedFile = isCrashed ? this.#lastFileOf(take, files) : null
      const settle = () => this.#settle(take, waitsFor, crashedFile)
      takes.push({ files, waitMs: requiredMs - shortestQuietMs, waitsFor, crashedFile, settle })
    }
    return takes
  }

  /** Call inside a transaction. Reads the take again, because a scan may have changed or added one of its files. */
  #settle(take: string, missing: string | null, crashedFile: GrowingFile | null): void {
    const growing = this.#world.journal.takes
      .members(take)
      .filter(
        ({ state, problem }) =>
          state === 'growing' && holdsBackTake(problem?.endsBy === 'dismissed', problem?.code ?? null),
      )
    if (!growing.every((file) => this.has(file))) return
    const takeReason = missing === null ? null : `${missing} is missing; uploaded as is`
    for (const { id } of growing)
      this.#finished.get(id)?.settle(id === crashedFile?.id ? CUT_OFF_REASON : takeReason)
  }

  #lastFileOf(take: string, files: readonly GrowingFile[]): GrowingFile | null {
    const { paths } = this.#world
    const nameOf = ({ path }: GrowingFile) => paths.nameInside(take, path) ?? ''
    const last = lastRosbag2File(takeName(take, paths), files.map(nameOf))
    return files.find((file) => nameOf(file) === last) ?? null
  }

  /** `marked`: the recorder has closed the whole take. `none`: in other takes than rosbag2, no file marks the end. */
  async #markOf(take: string): Promise<Mark> {
    const { files, paths, journal } = this.#world
    const members = journal.takes.members(take).map(({ path }) => paths.nameInside(take, path) ?? '')
    if (!isRosbag2(takeName(take, paths), members)) return { kind: 'none' }
    const metadata = await files.readText(paths.join(take, ROSBAG2_MARKER), MAX_ROSBAG2_METADATA_BYTES)
    if (!metadata.ok || metadata.value === null) return { kind: 'missing', name: ROSBAG2_MARKER }
    // A copy tool may write the metadata before the listed files.
    const { files: listed } = rosbag2Files(metadata.value)
    const found = await Promise.all(listed.map((name) => files.presence(paths.join(take, name))))
    // A link counts as missing: scans follow no links, so Sluice never uploads the file behind a link.
    const missing = listed.find((_, index) => ['missing', 'replaced'].includes(found[index] ?? 'missing'))
    return missing === undefined ? { kind: 'marked' } : { kind: 'missing', name: missing }
  }
}
