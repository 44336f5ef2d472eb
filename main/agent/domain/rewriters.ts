/** So many recordings of one kind in a row, and the next is read when it is finished. */
const BELIEVED = 2
const MOST_KINDS = 256

type Made = { readonly folder: string; readonly name: string }

/** Folder and ending: what one recorder makes. */
const kindOf = ({ folder, name }: Made): string => `${folder}\n${/\.[^.]*$/.exec(name)?.[0] ?? ''}`

/**
 * Recorders that go back to what they wrote: a WAV's sizes are in its first bytes and filled in at the end. Then all
 * the hashing while it grew was in vain, and is spared the next time. A hint for as long as the agent runs.
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
