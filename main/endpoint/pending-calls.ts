import type { CallAnswer } from '../../shared/ipc/ipc.ts'

const CALL_TIMEOUT_MS = 30_000

type PendingCall = { readonly settle: (answer: CallAnswer<unknown>) => void; readonly timer: NodeJS.Timeout }

export const unavailable = (message: string): CallAnswer<never> => ({
  ok: false,
  error: { kind: 'agent-unavailable', message },
})

/** The calls to an agent that wait for their answers. */
export class PendingCalls {
  readonly #calls = new Map<number, PendingCall>()
  #nextId = 1

  /**
   * Passes a new ID to `send`, which sends the call. Resolves to the answer with that ID, or to an error after a
   * timeout.
   */
  add(send: (id: number) => void): Promise<CallAnswer<unknown>> {
    const id = this.#nextId++
    return new Promise((settle) => {
      const timer = setTimeout(
        () => this.settle(id, unavailable('The agent did not answer in time.')),
        CALL_TIMEOUT_MS,
      )
      this.#calls.set(id, { settle, timer })
      send(id)
    })
  }

  settle(id: number, answer: CallAnswer<unknown>): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    this.#calls.delete(id)
    clearTimeout(call.timer)
    call.settle(answer)
  }

  /** Ends every pending call with an error. Use this when the agent has ended. */
  settleAll(message: string): void {
    for (const id of this.#calls.keys()) this.settle(id, unavailable(message))
  }
}
