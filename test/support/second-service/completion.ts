import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, badParameter, conflict, gatewayTimeout, json, type ServiceError } from './answer.ts'
import type { ServiceBehaviour } from './behaviour.ts'
import type { IdempotentAnswers } from './idempotent-answers.ts'
import type { Incoming } from './listener.ts'
import type { Session, SessionStore } from './session-store.ts'

/** Completes a session (§4.3). The completion may take longer than the gateway waits. */
export class Completion {
  readonly #store: SessionStore
  readonly #behaviour: ServiceBehaviour
  readonly #answers: IdempotentAnswers
  readonly #view: (session: Session) => object

  constructor(
    store: SessionStore,
    behaviour: ServiceBehaviour,
    answers: IdempotentAnswers,
    view: (session: Session) => object,
  ) {
    this.#store = store
    this.#behaviour = behaviour
    this.#answers = answers
    this.#view = view
  }

  async run(session: Session, request: Incoming, key: string | null): Promise<Answer | ServiceError> {
    if (this.#store.status(session) !== 'uploading' || session.statusDuringCompletion !== null)
      return conflict('already_completed', 'This upload is or was being completed.')
    const problem = this.#findPartProblem(session, request.json().parts)
    if (problem !== null) return badParameter('parts', problem)
    const slow = this.#behaviour.slowComplete
    if (slow === null) return this.#finish(session)
    session.statusDuringCompletion = slow.statusMeanwhile
    void sleep(slow.workMs).then(async () => {
      session.statusDuringCompletion = null
      const answer = request.finish(await this.#finish(session))
      if (key !== null) this.#answers.settle(key, answer)
    })
    await sleep(slow.gatewayMs)
    return gatewayTimeout
  }

  async #finish(session: Session): Promise<Answer | ServiceError> {
    if ((await this.#store.sha256(session)) !== session.sha256)
      return conflict('checksum_mismatch', 'The bytes do not match the sha256 of the session.')
    session.completedAt = Date.now()
    return json(200, this.#view(session))
  }

  #findPartProblem(session: Session, parts: unknown): string | null {
    if (!Array.isArray(parts)) return 'parts is required.'
    if (parts.length !== this.#store.partCount(session)) return 'parts must list every part.'
    for (const [index, part] of parts.entries()) {
      const stored = session.parts.get(index + 1)
      if (part?.number !== index + 1) return 'parts must be in order.'
      if (stored === undefined) return `Part ${index + 1} has not been received.`
      if (part.etag !== stored.etag) return `The ETag of part ${index + 1} is different.`
    }
    return null
  }
}
