import { originalNameOf } from '../../../shared/paths/system-names.ts'
import { sameInode } from '../domain/file-identity.ts'
import { ORIGINAL_NAME_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { Removal } from '../journal/journal.ts'
import type { FolderAccess, ScanResult } from '../ports/folders.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Killed during a removal, and the journal is lost too.
 * The hidden name contains the original name, so the next scan restores the original name and reports the file. A
 * hidden name has space for 89 bytes of the original name, so a longer name comes back shortened. If the original
 * name is taken, Sluice adds a number.
 */

/**
 * Hard case: Two agents watch the same folder, and one of them removes files.
 * The journal of an agent does not know the hidden names of the other agent. So an agent leaves an unknown hidden name
 * alone for 24 hours. It restores such a name at once only if no other PC uses the drive and the name may come from a
 * lost journal.
 */

/**
 * Hard case: A folder gets a new path while one of its files has a hidden name.
 * This happens if a user renames a subfolder, the drive is mounted elsewhere, or the settings have a new path. The
 * hidden name contains a random key and is stored in the journal, so a scan recognises it at the new path. If no file
 * is at the journaled path of the hidden file, the scan restores the original name at once.
 */

/**
 * If another agent may have created a hidden name, that agent may still be reading the file for hours. So Sluice
 * restores the original name only when the file has been hidden for this long.
 */
const OTHER_AGENT_MS = 24 * 3_600_000

/** All further names wait for the next scan. */
const MAX_NAMES_PER_SCAN = 100

type Scanned = Extract<ScanResult, { readonly kind: 'scanned' }>
type World = Pick<RemovalWorld, 'journal' | 'operations' | 'files' | 'clock' | 'paths' | 'log'>

type Whereabouts = {
  /** Only this PC uses the drive. */
  readonly isOwnDrive: boolean
  /** When this journal first listed the folder without unknown hidden names; null before that. */
  readonly listedAtMs: number | null
}

const mayBelongToOtherAgent = async (
  { files, clock }: World,
  removalName: string,
  { isOwnDrive, listedAtMs }: Whereabouts,
): Promise<boolean> => {
  if (isOwnDrive && listedAtMs === null) return false
  const found = await files.identify(removalName)
  // A failure proves nothing: the folder may be away for a moment.
  if (!found.ok) return true
  // The rename to the hidden name has set the ctime.
  const hiddenAtMs = Number(BigInt(found.value.ctimeNs) / 1_000_000n)
  if (isOwnDrive && listedAtMs !== null && hiddenAtMs < listedAtMs) return false
  return Math.abs(clock.wallMs() - hiddenAtMs) < OTHER_AGENT_MS
}

/** The original path; null for a name that Sluice cannot have created. Sluice does not touch such a file. */
const originalPath = ({ paths }: World, removalName: string): string | null => {
  const folder = paths.resolve(removalName, '..')
  const name = originalNameOf(paths.nameOf(removalName))
  const path = name === null ? null : paths.join(folder, name)
  return path !== null && paths.nameOf(path) === name && paths.same(paths.resolve(path, '..'), folder)
    ? path
    : null
}

/**
 * Finds the removal that created a hidden name. Reads the journal once per scan, because any user with write access to
 * the folder may create thousands of such names.
 */
const createRemovalFinder = ({
  journal,
  paths,
}: World): ((removalName: string) => Removal | 'copy' | null) => {
  // Compare only the names. They are unique, and the folder of the file may have a second path or a new one.
  const keyOf = (path: string) => paths.key(paths.nameOf(path))
  const copies = new Set(journal.removals.copies.paths().map(keyOf))
  const removals = new Map(
    journal.removals.withHiddenName().map((removal) => [keyOf(removal.removalName), removal]),
  )
  return (removalName) => {
    const key = keyOf(removalName)
    return copies.has(key) ? 'copy' : (removals.get(key) ?? null)
  }
}

/**
 * Whether the remover still needs the hidden name. The remover can finish a removal only if the hidden file is at the
 * journaled path. A scan of a second watched folder may find the same file at another path, and must not undo its
 * removal.
 */
const isAtRemover = async (
  { files, paths }: World,
  removal: Removal,
  removalName: string,
): Promise<boolean> =>
  removal.step !== null &&
  (paths.same(removal.removalName, removalName) ||
    ['file', 'unknown'].includes(await files.presence(removal.removalName)))

/** The name from the journal, because a hidden name contains a shortened name if the original is very long. */
const journaledPath = ({ journal, paths }: World, removal: Removal, removalName: string): string | null => {
  const recording = journal.recordings.byId(removal.recordingId)
  return recording === null
    ? null
    : paths.join(paths.resolve(removalName, '..'), paths.nameOf(recording.path))
}

/** Ends a removal whose file has its original name again, unless the remover has begun a new removal meanwhile. */
const settle = ({ journal }: World, { recordingId, removalName }: Removal): void => {
  if (journal.removals.of(recordingId)?.removalName === removalName) journal.removals.settle(recordingId)
}

/**
 * During its removal, a file has a hidden name that the journal knows. If the journal is lost, the hidden name still
 * contains the original name. So a scan can restore the original name, and the next scan finds the file. A scan also
 * restores it if the removal has ended, or if the remover cannot find the hidden file at the journaled path. Restoring
 * never deletes a file.
 */
export const restoreNamesOnScan = (world: World, folderAccess: FolderAccess): FolderAccess => {
  /** By folder: names that could not be restored, and when to retry. */
  const retryTimes = new Map<string, Map<string, number>>()

  const restoreAll = async (folder: string, scanned: Scanned, signal: AbortSignal): Promise<void> => {
    const { clock, journal, log, paths } = world
    const [previousRetries, nextRetries] = [retryTimes.get(paths.key(folder)), new Map<string, number>()]
    const isOwnDrive = (await folderAccess.sharing(folder)) === 'own'
    const whereabouts = { isOwnDrive, listedAtMs: journal.volumes.listedAtMs(folder) }
    const removalOf = createRemovalFinder(world)
    const taken = new Map(scanned.files.map(({ path, identity }) => [paths.key(path), identity]))
    const restored: string[] = []
    const failed: string[] = []
    let attempts = 0
    for (const removalName of scanned.removalNames) {
      const retryAtMs = previousRetries?.get(removalName) ?? 0
      if (clock.monotonicMs() < retryAtMs) {
        nextRetries.set(removalName, retryAtMs)
        continue
      }
      const original = originalPath(world, removalName)
      const removal = removalOf(removalName)
      // A copy in an archive may be half written, so the remover handles it.
      if (original === null || removal === 'copy') continue
      // Do not delay the scan. Each restored name changes the folder, so the next scan comes soon.
      if (signal.aborted || attempts === MAX_NAMES_PER_SCAN) break
      // This check does not count as an attempt. Otherwise, any user could use up the attempts with invented names, and
      // other files would stay hidden.
      const isInUse = await (removal === null
        ? mayBelongToOtherAgent(world, removalName, whereabouts)
        : isAtRemover(world, removal, removalName))
      if (isInUse) continue
      attempts += 1
      const path = removal === null ? original : (journaledPath(world, removal, removalName) ?? original)
      const hidden = await world.files.identify(removalName)
      // If the same file has both names, an earlier restore was interrupted. Then `place` only removes the hidden name.
      const isTaken = (name: string) => {
        const other = taken.get(paths.key(name))
        return hidden.ok && other !== undefined && !sameInode(other, hidden.value)
      }
      const result = await restoreHiddenFile(world, path, removalName, isTaken)
      if (typeof result === 'object') {
        if (removal !== null) settle(world, removal)
        restored.push(result.path)
        if (hidden.ok) taken.set(paths.key(result.path), hidden.value)
      } else if (result === 'refused') {
        nextRetries.set(removalName, clock.monotonicMs() + ORIGINAL_NAME_RETRY_DELAY_MS)
        failed.push(removalName)
      }
    }
    // Write one log line and one activity entry for all names: any user with write access controls their number.
    if (failed.length > 0)
      log.warn('the names of recordings could not be restored', { count: failed.length, first: failed[0] })
    const [path] = restored
    if (path !== undefined) journal.activity.note({ kind: 'names-restored', path, count: restored.length })
    retryTimes.set(paths.key(folder), nextRetries)
  }

  return {
    ...folderAccess,
    scan: async (folder, signal, enter) => {
      const result = await folderAccess.scan(folder, signal, enter)
      if (result.kind !== 'scanned') return result
      if (result.removalNames.length > 0) await restoreAll(folder.path, result, signal)
      else retryTimes.delete(world.paths.key(folder.path))
      return result
    },
  }
}
