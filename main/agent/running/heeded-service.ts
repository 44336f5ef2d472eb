import { type Failure, isTrouble, type Outcome, originOf, type Remote } from '../domain/failure.ts'
import type { Clock, ServiceClient, StationConditions } from '../ports.ts'

/** Whether the control API or the storage itself spoke, if only to say no. */
const spoke = (failure: Failure, remote: Remote): boolean =>
  originOf(failure) === remote && !isTrouble(failure) && failure.kind !== 'rate-limited'

/** The same client, each of whose answers the station hears: trouble in a row is its condition, an answer ends it. */
export const heeded = (
  client: ServiceClient,
  station: Pick<StationConditions, 'heard' | 'broke'>,
  clock: Pick<Clock, 'monotonicMs'>,
): ServiceClient => {
  const heed = async <T>(remote: Remote, ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const askedAtMs = clock.monotonicMs()
    const outcome = await ask()
    if (outcome.ok || spoke(outcome.failure, remote)) station.heard(remote, askedAtMs)
    else if (isTrouble(outcome.failure) && originOf(outcome.failure) === remote) station.broke(remote)
    return outcome
  }
  return {
    ...client,
    createSession: (...args) => heed('control', () => client.createSession(...args)),
    retrieveSession: (...args) => heed('control', () => client.retrieveSession(...args)),
    completeSession: (...args) => heed('control', () => client.completeSession(...args)),
    listSessions: (...args) => heed('control', () => client.listSessions(...args)),
    deleteSession: (...args) => heed('control', () => client.deleteSession(...args)),
    testKey: (...args) => heed('control', () => client.testKey(...args)),
    sendPart: (part) => heed('storage', () => client.sendPart(part)),
  }
}
