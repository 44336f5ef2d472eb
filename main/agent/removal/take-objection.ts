import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { mayHaveLeftOut } from '../domain/folder-problems.ts'
import { isSafeInJournal, type Wait } from '../domain/removal-rules.ts'
import { takeOf } from '../domain/takes.ts'
import type { Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { DecisionContext } from '../stage/apply-decision.ts'
import type { StageWorld } from '../stage/stage.ts'
import { fileObjection } from './file-in-use.ts'
import { type Due, pollSession } from './poll-session.ts'

/**
 * Hard case: A take is due for removal, and one of its files is not safe.
 * Before Sluice removes the first file of a take, all files of the take and their sessions must pass the checks. If a
 * check fails, or if Sluice cannot read a path that may belong to the take, all files of the take stay. Dismissed files
 * need not pass.
 */

type World = Pick<StageWorld, 'journal' | 'paths'>

/** True if a scan could not read a path that may belong to the take. The journal may then lack files of the take. */
const mayHaveUnreadablePath = ({ journal, paths }: World, folder: FolderSettings, take: string): boolean =>
  mayHaveLeftOut(
    journal.folders.of(folder.path)?.problems ?? [],
    folder.take,
    (path) => {
      const takeOfPath = takeOf(folder, path, paths)
      const isInside = takeOfPath !== null && paths.same(takeOfPath, take)
      return isInside || paths.same(path, take) || paths.contains(path, take)
    },
    (beginning) => {
      const parent = paths.resolve(beginning, '..')
      return paths.same(parent, take) || paths.contains(parent, take) || paths.contains(take, parent)
    },
  )

/**
 * True if a user has dismissed the problem of the file. A failed or gone file without a problem is resolved, too. The
 * other files of the take do not wait for a resolved file.
 */
const isResolved = ({ state, problem }: Recording): boolean =>
  problem === null ? state === 'failed' || state === 'gone' : problem.endsBy === 'dismissed'

/** Why the journal forbids the removal of a take. Files that Sluice has already removed must still be safe, too. */
export const journalObjection = (world: World, folder: FolderSettings, take: string): Wait | null => {
  if (mayHaveUnreadablePath(world, folder, take)) return 'take-unreadable'
  const { journal } = world
  const service = journal.station.serviceInUse()
  const isSafe = journal.takes
    .members(take)
    .every((member) => isResolved(member) || isSafeInJournal({ ...member, removedAtMs: null }, service))
  return isSafe ? null : 'take-not-safe'
}

type FilesWorld = Pick<StageWorld, 'journal' | 'files'>

/** The ids of the files that are missing. Stops at the first file that Sluice cannot check. */
const findGone = async (
  { files }: Pick<FilesWorld, 'files'>,
  members: readonly Recording[],
): Promise<ReadonlySet<number>> => {
  const gone = new Set<number>()
  for (const { id, path } of members) {
    const presence = await files.presence(path)
    if (presence === 'unknown') break
    if (presence === 'missing') gone.add(id)
  }
  return gone
}

/**
 * Stores a wait for the other files of a take, so that they do not repeat the checks of the whole take. Files that are
 * gone get the wait `file-gone`. Skips files whose removal is in progress.
 */
const letWait = async (world: FilesWorld, members: readonly Recording[], wait: Wait): Promise<void> => {
  const { journal } = world
  const gone = await findGone(world, members)
  journal.transaction(() => {
    for (const member of members) {
      const removal = journal.removals.of(member.id)
      if (removal?.step != null) continue
      if (gone.has(member.id)) journal.removals.wait(member, 'file-gone')
      else if (removal?.waits !== 'file-gone') journal.removals.wait(member, wait)
    }
  })
}

/**
 * Checks the take in the journal, before Sluice reads any file. Null if the journal allows the removal. Otherwise,
 * returns the reason, and stores a wait for the other safe files of the take.
 */
export const checkTakeInJournal = async (
  world: World & FilesWorld,
  { recording, folder }: Due,
): Promise<Wait | null> => {
  const { journal } = world
  const { take, id } = recording
  const wait = take === null ? null : journalObjection(world, folder, take)
  if (take === null || wait === null) return wait
  const service = journal.station.serviceInUse()
  const others = journal.takes
    .members(take)
    .filter((member) => member.id !== id && isSafeInJournal(member, service))
  await letWait(world, others, wait)
  return (await findGone(world, [recording])).has(id) ? 'file-gone' : wait
}

/**
 * Whether Sluice has removed a file of this take. Files that were removed before the last file was processed belong to
 * an older take with the same name.
 */
const hasBegunToLeave = (members: readonly Recording[]): boolean => {
  let lastProcessedAtMs = 0
  for (const { processedAtMs } of members) lastProcessedAtMs = Math.max(lastProcessedAtMs, processedAtMs ?? 0)
  return members.some(({ removedAtMs }) => removedAtMs !== null && removedAtMs >= lastProcessedAtMs)
}

/**
 * Checks the other files of the take and their sessions. Null if they allow the removal, or if Sluice has already
 * removed a file of the take.
 */
export const takeObjection = async (
  world: DecisionContext & Pick<StageWorld, 'files' | 'paths' | 'sleep'>,
  due: Due,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<Wait | null> => {
  const { journal } = world
  const { take, id } = due.recording
  if (take === null) return null
  const members = journal.takes.members(take)
  if (hasBegunToLeave(members)) return null
  const others = members.filter(
    (member) => member.id !== id && member.removedAtMs === null && !isResolved(member),
  )
  for (const member of others)
    if (await isObjecting(world, { ...due, recording: member }, service, signal)) {
      await letWait(
        world,
        others.filter((other) => other.id !== member.id),
        'take-not-safe',
      )
      return 'take-not-safe'
    }
  return null
}

const isObjecting = async (
  world: DecisionContext & Pick<StageWorld, 'files' | 'sleep'>,
  member: Due,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<boolean> => {
  const objection = await fileObjection({ ...world, service }, member.recording)
  // A file that a user has deleted is no objection, because the service has its content.
  if (objection !== null && objection !== 'file-gone') return true
  const poll = await pollSession(world, member, service, signal)
  return poll.objection !== null
}
