/** After this many rewritten recordings in a row, Sluice hashes a recorder's files only when they are finished. */
const MIN_REWRITES = 2
const MAX_KINDS = 256

type RecorderFile = { readonly folder: string; readonly name: string }

/** Folder and extension identify the files of one recorder. */
const kindOf = ({ folder, name }: RecorderFile): string => `${folder}\n${/\.[^.]*$/.exec(name)?.[0] ?? ''}`

/**
 * Recorders that change bytes they have already written, such as the sizes in a WAV header. This makes the hash of the
 * growing file useless. Kept only in memory, so a restart tries again.
 */
export class RewritingRecorders {
  readonly #rewriteCounts = new Map<string, number>()

  isRewriter(recording: RecorderFile): boolean {
    return (this.#rewriteCounts.get(kindOf(recording)) ?? 0) >= MIN_REWRITES
  }

  noteRewrite(recording: RecorderFile): void {
    const kind = kindOf(recording)
    const count = (this.#rewriteCounts.get(kind) ?? 0) + 1
    this.#rewriteCounts.delete(kind)
    this.#rewriteCounts.set(kind, count)
    const [oldest] = this.#rewriteCounts.keys()
    if (this.#rewriteCounts.size > MAX_KINDS && oldest !== undefined) this.#rewriteCounts.delete(oldest)
  }

  noteUnchanged(recording: RecorderFile): void {
    this.#rewriteCounts.delete(kindOf(recording))
  }
}
