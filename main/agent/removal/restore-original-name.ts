import { originalNameOf } from '../../../shared/paths/system-names.ts'
import { sameInode } from '../domain/file-identity.ts'
import { ORIGINAL_NAME_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { FolderAccess, ScanResult } from '../ports/folders.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Killed during a removal, and the journal is lost too.
 * The hidden name contains the original name. The next scan restores the original name and reports the file. If the
 * original name is taken, Sluice adds a number.
 */

/**
 * Hard case: Two agents watch the same folder, and one of them removes files.
 * The journal of the first agent does not know the hidden names of the second agent. So the first agent leaves such a name
 * alone for 24 hours. It restores a name at once only if a journal that is now lost may have created it.
 */

/** A different agent may be removing the file, and may read the file for hours. So Sluice waits this long. */
const OTHER_AGENT_MS = 24 * 3_600_000

/** Any more names wait for the next scan. */
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
  if (!found.ok) return !isOwnDrive
  // A rename sets the ctime.
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
 * Tests whether the journal has a hidden name. Reads the journal once per scan, because any user with write access to
 * the folder may create thousands of such names.
 */
const knownRemovalNames = ({ journal, paths }: World): ((removalName: string) => boolean) => {
  // A copy in an archive may be half written, so the remover handles it.
  const underWay = journal.removals.underWay().map(({ removalName }) => removalName)
  // Compare only the names. They are unique, and a second watched folder can lead to the same file by a different path.
  const keyOf = (path: string) => paths.key(paths.nameOf(path))
  const known = new Set([...underWay, ...journal.removals.copies.paths()].map(keyOf))
  return (removalName) => known.has(keyOf(removalName))
}

/**
 * During its removal, a file has a hidden name that the journal knows. If the journal is lost, the hidden name still
 * contains the original name. A scan restores the original name, and the next scan finds the file. Restoring never
 * deletes a file.
 */
export const restoreNamesOnScan = (world: World, folderAccess: FolderAccess): FolderAccess => {
  /** By folder: names that could not be restored, and when to retry. */
  const retryTimes = new Map<string, Map<string, number>>()

  const restoreAll = async (folder: string, scanned: Scanned, signal: AbortSignal): Promise<void> => {
    const { clock, journal, log, paths } = world
    const [previousRetries, nextRetries] = [retryTimes.get(paths.key(folder)), new Map<string, number>()]
    const isOwnDrive = (await folderAccess.sharing(folder)) === 'own'
    const whereabouts = { isOwnDrive, listedAtMs: journal.station.listedAtMs(folder) }
    const isKnown = knownRemovalNames(world)
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
      const path = originalPath(world, removalName)
      if (path === null || isKnown(removalName)) continue
      // Do not delay the scan. Each restored name changes the folder, so the next scan comes soon.
      if (signal.aborted || attempts === MAX_NAMES_PER_SCAN) break
      // This does not count as an attempt. Otherwise, names that any user may add would keep other names hidden.
      if (await mayBelongToOtherAgent(world, removalName, whereabouts)) continue
      attempts += 1
      const hidden = await world.files.identify(removalName)
      // If the same file has both names, an earlier restore was interrupted. Then only the hidden name is removed.
      const isTaken = (name: string) => {
        const other = taken.get(paths.key(name))
        return hidden.ok && other !== undefined && !sameInode(other, hidden.value)
      }
      const result = await restoreHiddenFile(world, path, removalName, isTaken)
      if (typeof result === 'object') {
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
