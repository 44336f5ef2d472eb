import { Socket } from 'node:net'

/**
 * Sends the queries of one turn of the event loop with one write, because a write costs PostgreSQL more than a small
 * query. node-postgres corks the socket for each query, and this class uncorks it at the end of the turn.
 */
export class BatchingSocket extends Socket {
  #isBatching = false

  override cork(): void {
    super.cork()
    if (this.#isBatching) return
    this.#isBatching = true
    super.cork()
    process.nextTick(() => {
      this.#isBatching = false
      super.uncork()
    })
  }
}
