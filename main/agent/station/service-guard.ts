import { type Failure, isTrouble, type Outcome, originOf, type Remote } from '../domain/failure.ts'
import type { Clock } from '../ports/clock.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { StationConditions } from '../ports/station.ts'

/** Whether the control API or the storage itself answered, even with a refusal. An unreadable answer does not count. */
const hasAnswered = (failure: Failure, remote: Remote): boolean =>
  originOf(failure) === remote &&
  !isTrouble(failure) &&
  failure.kind !== 'rate-limited' &&
  failure.kind !== 'unreadable-answer'

const isCounted = (failure: Failure, remote: Remote): boolean =>
  originOf(failure) === remote &&
  (isTrouble(failure) || (failure.kind === 'rate-limited' && remote === 'storage'))

/**
 * Wraps the client so that it reports each outcome to the station: failures in a row raise a condition, an
 * answer ends it.
 */
export const reportToStation = (
  client: ServiceClient,
  station: Pick<StationConditions, 'asking' | 'answered' | 'broke' | 'found'>,
  clock: Pick<Clock, 'monotonicMs'>,
): ServiceClient => {
  const report = async <T>(
    remote: Remote,
    ask: () => Promise<Outcome<T>>,
    isLongWork = remote === 'storage',
  ): Promise<Outcome<T>> => {
    const askedAtMs = clock.monotonicMs()
    const ended = isLongWork ? () => {} : station.asking()
    const outcome = await ask().finally(ended)
    if (outcome.ok || hasAnswered(outcome.failure, remote)) station.answered(remote, askedAtMs)
    else if (isCounted(outcome.failure, remote)) station.broke(remote)
    return outcome
  }
  const reportSession = async <T>(
    id: string,
    ask: () => Promise<Outcome<T>>,
    isLongWork = false,
  ): Promise<Outcome<T>> => {
    const outcome = await report('control', ask, isLongWork)
    if (outcome.ok) station.found(id, true)
    else if (outcome.failure.kind === 'not-found' || outcome.failure.kind === 'other-organisation')
      station.found(id, false)
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
