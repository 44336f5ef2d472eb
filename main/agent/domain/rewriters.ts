/** After this many rewritten recordings in a row, Sluice hashes the next one only when it is finished. */
const BELIEVED = 2
const MOST_KINDS = 256

type Made = { readonly folder: string; readonly name: string }

/** Folder and extension identify the files of one recorder. */
const kindOf = ({ folder, name }: Made): string => `${folder}\n${/\.[^.]*$/.exec(name)?.[0] ?? ''}`

/**
 * Recorders that change bytes they have already written: a WAV header gets its sizes when the recording ends. This makes
 * the hash of the growing file useless, so Sluice does not hash that recorder's next file early. Kept in memory only.
 */
export class Rewriters {
  readonly #inVain = new Map<string, number>()

  isOne(recording: Made): boolean {
    return (this.#inVain.get(kindOf(recording)) ?? 0) >= BELIEVED
  }

  wentBack(recording: Made): void {
    const kind = kindOf(recording)
    const times = (this.#inVain.get(kind) ?? 0) + 1
    this.#inVain.delete(kind)
    this.#inVain.set(kind, times)
    const [oldest] = this.#inVain.keys()
    if (this.#inVain.size > MOST_KINDS && oldest !== undefined) this.#inVain.delete(oldest)
  }

  heldTrue(recording: Made): void {
    this.#inVain.delete(kindOf(recording))
  }
}
