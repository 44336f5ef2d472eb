import type { Status } from '../../../shared/status/status.ts'
import { isHeld } from '../upload-hold.ts'

/** What is used of Electron's powerSaveBlocker. */
type Blocker = {
  readonly start: (type: 'prevent-app-suspension') => number
  readonly stop: (id: number) => unknown
}

/** The speed is smoothed: it says for two minutes that bytes move when the last one has long arrived. */
export const bytesAreMoving = ({ station, transfer }: Status): boolean =>
  transfer.bytesPerSecond > 0 && transfer.bytesLeft > 0 && !isHeld(station)

/** Holds the PC awake while bytes move, and no longer. */
export class KeepAwake {
  readonly #blocker: Blocker
  #held: number | null = null

  constructor(blocker: Blocker) {
    this.#blocker = blocker
  }

  update(wanted: boolean): void {
    if (wanted && this.#held === null) this.#held = this.#blocker.start('prevent-app-suspension')
    if (!wanted && this.#held !== null) {
      this.#blocker.stop(this.#held)
      this.#held = null
    }
  }
}
