import { isSafeInJournal, type Wait } from '../domain/removal-rules.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { DecisionContext } from '../stage/apply-decision.ts'
import type { StageWorld } from '../stage/stage.ts'
import { fileObjection } from './file-in-use.ts'
import { type Due, pollSession } from './poll-session.ts'

/**
 * Hard case: A take is removed, and one of its files is not safe.
 * Before the first file of a take leaves, all its files and their sessions must pass the checks. Otherwise all of them
 * stay.
 */

/** Whether the journal shows all files of the take as safe. Files that Sluice has removed already count as safe. */
export const isTakeSafe = (journal: Journal, take: string): boolean => {
  const service = journal.station.serviceInUse()
  return journal.takes
    .members(take)
    .every((member) => isSafeInJournal({ ...member, removedAtMs: null }, service))
}

/** Null if nothing of the take forbids the removal. */
export const takeObjection = async (
  world: DecisionContext & Pick<StageWorld, 'files'>,
  due: Due,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<Wait | null> => {
  const { journal } = world
  const { take, id } = due.recording
  if (take === null) return null
  if (!isTakeSafe(journal, take)) return 'take-not-safe'
  const members = journal.takes.members(take)
  if (members.some(({ removedAtMs }) => removedAtMs !== null)) return null
  for (const member of members) {
    if (member.id === id) continue
    const objection = await fileObjection({ ...world, service }, member)
    // The service has the content of a file that a user deleted.
    if (objection !== null && objection !== 'file-gone') return 'take-not-safe'
    const poll = await pollSession(world, { ...due, recording: member }, service, signal)
    if (poll.objection !== null) return 'take-not-safe'
  }
  return null
}
