import { type Failure, isTrouble, type Outcome, originOf, type Remote } from '../domain/failure.ts'
import type { Clock } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { StationConditions } from '../ports/station.ts'

/**
 * Whether the control API or the storage itself answered. Refusals count; trouble such as a 5xx (`isTrouble`), a rate
 * limit and an unreadable answer do not.
 */
const hasAnswered = (failure: Failure, remote: Remote): boolean =>
  originOf(failure) === remote &&
  !isTrouble(failure) &&
  failure.kind !== 'rate-limited' &&
  failure.kind !== 'unreadable-answer'

/** Whether the failure counts towards a condition of the whole station. */
const isCounted = (failure: Failure, remote: Remote): boolean =>
  originOf(failure) === remote &&
  (isTrouble(failure) || (failure.kind === 'rate-limited' && remote === 'storage'))

/** Wraps the client so that it reports each outcome to the station. */
export const reportToStation = (
  client: ServiceClient,
  station: Pick<StationConditions, 'beginRequest' | 'noteAnswer' | 'noteFailure' | 'noteSession'>,
  clock: Pick<Clock, 'monotonicMs'>,
): ServiceClient => {
  const report = async <T>(
    remote: Remote,
    sendRequest: () => Promise<Outcome<T>>,
    isLongWork = remote === 'storage',
  ): Promise<Outcome<T>> => {
    const sentAtMs = clock.monotonicMs()
    const endRequest = isLongWork ? () => {} : station.beginRequest()
    const outcome = await sendRequest().finally(endRequest)
    if (outcome.ok || hasAnswered(outcome.failure, remote)) station.noteAnswer(remote, sentAtMs)
    else if (isCounted(outcome.failure, remote)) station.noteFailure(remote)
    return outcome
  }
  const reportSession = async <T>(
    id: string,
    sendRequest: () => Promise<Outcome<T>>,
    isLongWork = false,
  ): Promise<Outcome<T>> => {
    const outcome = await report('control', sendRequest, isLongWork)
    if (outcome.ok) station.noteSession(id, true)
    else if (outcome.failure.kind === 'not-found' || outcome.failure.kind === 'other-organisation')
      station.noteSession(id, false)
    return outcome
  }
  return {
    ...client,
    createSession: (...args) => report('control', () => client.createSession(...args)),
    retrieveSession: (id, signal) => reportSession(id, () => client.retrieveSession(id, signal)),
    completeSession: (id, ...args) => reportSession(id, () => client.completeSession(id, ...args), true),
    listSessions: (...args) => report('control', () => client.listSessions(...args)),
    deleteSession: (id, signal) => reportSession(id, () => client.deleteSession(id, signal)),
    createWebhookEndpoint: (...args) => report('control', () => client.createWebhookEndpoint(...args)),
    testKey: (...args) => report('control', () => client.testKey(...args)),
    sendPart: (part) => report('storage', () => client.sendPart(part)),
  }
}
