import { type FileIdentity, hasOnlyGrown } from './file-identity.ts'

/**
 * Hard case: A logger opens, appends and closes its file every few seconds.
 * The file looks complete after each close, so Sluice would settle or inspect it too early. After the first such
 * append, all files with this extension in the folder wait for the full settle time.
 */

const MAX_FINISHED = 1_000
const MAX_KINDS = 256

type RecorderFile = { readonly folder: string; readonly path: string; readonly identity: FileIdentity }

/** Folder and extension identify the files of one recorder. */
const kindOf = ({ folder, path }: RecorderFile): string =>
  `${folder}\n${(/\.[^./\\]*$/.exec(path)?.[0] ?? '').toLowerCase()}`

/**
 * Recorders that append to files they have closed. An end mark does not show that such a file is finished. Kept only in
 * memory.
 */
export class AppendingRecorders {
  readonly #finishedFiles = new Map<string, FileIdentity>()
  readonly #appendingKinds = new Set<string>()

  appendsAfterClosing(file: RecorderFile): boolean {
    return this.#appendingKinds.has(kindOf(file))
  }

  /** Call this after Sluice has settled or inspected the file early. */
  noteClosed(file: RecorderFile): void {
    this.#finishedFiles.delete(file.path)
    this.#finishedFiles.set(file.path, file.identity)
    dropOldest(this.#finishedFiles, MAX_FINISHED)
  }

  /** Call this for each growing file. A different file at the same path is a new recording. */
  noteGrowing(file: RecorderFile): void {
    const finishedIdentity = this.#finishedFiles.get(file.path)
    if (finishedIdentity === undefined) return
    this.#finishedFiles.delete(file.path)
    if (finishedIdentity.mtimeNs === file.identity.mtimeNs) return
    if (!hasOnlyGrown(finishedIdentity, file.identity)) return
    this.#appendingKinds.add(kindOf(file))
    dropOldest(this.#appendingKinds, MAX_KINDS)
  }
}

const dropOldest = (entries: Map<string, unknown> | Set<string>, max: number): void => {
  const [oldest] = entries.keys()
  if (entries.size > max && oldest !== undefined) entries.delete(oldest)
}
