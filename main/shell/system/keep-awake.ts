import type { Status } from '../../../shared/status/status.ts'
import { areUploadsStopped } from '../uploads-stopped.ts'

/** The part of Electron's `powerSaveBlocker` that is used here. */
type Blocker = {
  readonly start: (type: 'prevent-app-suspension') => number
  readonly stop: (id: number) => unknown
}

/** Checks `bytesLeft` too, because the status shows a speed for a few seconds after the last byte. */
export const bytesAreMoving = ({ station, transfer }: Status): boolean =>
  transfer.bytesPerSecond !== null && transfer.bytesLeft > 0 && !areUploadsStopped(station)

/** Keeps the PC awake only while it uploads. */
export class KeepAwake {
  readonly #blocker: Blocker
  #blockerId: number | null = null

  constructor(blocker: Blocker) {
    this.#blocker = blocker
  }

  update(mustStayAwake: boolean): void {
    if (mustStayAwake && this.#blockerId === null)
      this.#blockerId = this.#blocker.start('prevent-app-suspension')
    if (!mustStayAwake && this.#blockerId !== null) {
      this.#blocker.stop(this.#blockerId)
      this.#blockerId = null
    }
  }
}
