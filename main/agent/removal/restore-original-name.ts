import { originalNameOf } from '../../../shared/paths/system-names.ts'
import { sameInode } from '../domain/file-identity.ts'
import { ORIGINAL_NAME_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { Removal } from '../journal/journal.ts'
import type { FolderAccess, ScanResult } from '../ports/folders.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Sluice is killed during a removal, and the journal is lost too.
 * The hidden name contains the original name (at most 89 bytes of it), so a later scan can restore the original name.
 * If that name is taken, Sluice adds a number.
 */

/**
 * Hard case: Two agents watch the same folder, and one of them removes files.
 * An agent does not know the hidden names of the other agent, so it leaves an unknown hidden name alone for 24 hours.
 * On a drive that no other PC uses, it may restore the original name earlier.
 */

/**
 * Hard case: A folder gets a new path while one of its files has a hidden name.
 * For example, a user renames a subfolder. The journal stores the hidden name, which contains a random key, so a scan
 * recognises it at the new path and restores the original name.
 */

/**
 * Another agent may have hidden the file, and may need hours to read it. So Sluice restores an unknown hidden name only
 * after this time.
 */
const OTHER_AGENT_MS = 24 * 3_600_000

const MAX_NAMES_PER_SCAN = 100

type Scanned = Extract<ScanResult, { readonly kind: 'scanned' }>
type World = Pick<RemovalWorld, 'journal' | 'operations' | 'files' | 'clock' | 'paths' | 'log'>

type Whereabouts = {
  /** Only this PC uses the drive. */
  readonly isOwnDrive: boolean
  /** When a scan first found no unknown hidden names in the folder. Null before that. */
  readonly listedAtMs: number | null
}

const mayBelongToOtherAgent = async (
  { files, clock }: World,
  removalName: string,
  { isOwnDrive, listedAtMs }: Whereabouts,
): Promise<boolean> => {
  if (isOwnDrive && listedAtMs === null) return false
  const found = await files.identify(removalName)
  // The folder may be missing only for a moment, so leave the hidden name alone.
  if (!found.ok) return true
  // The rename to the hidden name has set the ctime.
  const hiddenAtMs = Number(BigInt(found.value.ctimeNs) / 1_000_000n)
  if (isOwnDrive && listedAtMs !== null && hiddenAtMs < listedAtMs) return false
  return Math.abs(clock.wallMs() - hiddenAtMs) < OTHER_AGENT_MS
}

/** The original path. Null for a name that Sluice did not create. */
const originalPath = ({ paths }: World, removalName: string): string | null => {
  const folder = paths.resolve(removalName, '..')
  const name = originalNameOf(paths.nameOf(removalName))
  const path = name === null ? null : paths.join(folder, name)
  return path !== null && paths.nameOf(path) === name && paths.same(paths.resolve(path, '..'), folder)
    ? path
    : null
}

/**
 * Finds the removal that created a hidden name. Reads the journal only once per scan, because other users may create
 * thousands of such names.
 */
const createRemovalFinder = ({
  journal,
  paths,
}: World): ((removalName: string) => Removal | 'copy' | null) => {
  // Compare only the names: they are unique, and the folder may have a different path now.
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
 * Whether the remover still needs the hidden name: the removal is in progress, and the hidden file is at the path in
 * the journal. A scan of a second watched folder may find the same file under another path. That scan must not undo the
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

/** Uses the original name in the journal, because the hidden name may contain only a shortened one. */
const journaledPath = ({ journal, paths }: World, removal: Removal, removalName: string): string | null => {
  const recording = journal.recordings.byId(removal.recordingId)
  return recording === null
    ? null
    : paths.join(paths.resolve(removalName, '..'), paths.nameOf(recording.path))
}

/** Ends the removal of a file that got its original name back, unless the remover has begun a new removal. */
const settle = ({ journal }: World, { recordingId, removalName }: Removal): void => {
  if (journal.removals.of(recordingId)?.removalName === removalName) journal.removals.settle(recordingId)
}

/**
 * Restores the original name of a hidden file if the journal does not know its removal, if the removal has ended, or if
 * the file is not at the path in the journal. The next scan then finds the file. Never deletes a file.
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
      // A copy in an archive may be incomplete, so leave it to the remover.
      if (original === null || removal === 'copy') continue
      // Do not delay the scan. The next one comes soon, because each restored name changes the folder.
      if (signal.aborted || attempts === MAX_NAMES_PER_SCAN) break
      // A name in use does not count as an attempt. Otherwise, a user who invents hidden names could use up all
      // attempts.
      const isInUse = await (removal === null
        ? mayBelongToOtherAgent(world, removalName, whereabouts)
        : isAtRemover(world, removal, removalName))
      if (isInUse) continue
      attempts += 1
      const path = removal === null ? original : (journaledPath(world, removal, removalName) ?? original)
      const hidden = await world.files.identify(removalName)
      // After an interrupted restore, the file has both names. Then its original name does not count as taken.
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
    // Write one log line and one activity entry for all names, because other users can create very many.
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
