import { nameBeforeSetAside } from '../../../shared/paths/system-names.ts'
import { ORIGINAL_NAME_RETRY_DELAY_MS } from '../domain/retry-policy.ts'
import type { FolderEyes } from '../ports/folders.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: Killed during a removal, and the journal is lost too.
 * The hidden name contains the original one. The next scan restores it, or uses a free name beside it, and
 * reports it.
 */

/** On a shared drive, another station may be removing a file that was hidden less than this ago. */
const OTHER_STATION_MS = 10 * 60_000

type World = Pick<RemovalWorld, 'journal' | 'acts' | 'files' | 'clock' | 'paths' | 'log'>

const mayBelongToOtherStation = async ({ files, clock }: World, hiddenName: string): Promise<boolean> => {
  const found = await files.identify(hiddenName)
  // A rename sets the ctime.
  return (
    !found.ok ||
    Math.abs(clock.wallMs() - Number(BigInt(found.value.ctimeNs) / 1_000_000n)) < OTHER_STATION_MS
  )
}

/** The original path; null for a name that Sluice cannot have made. Such a file is left alone. */
const originalPath = ({ paths }: World, hiddenName: string): string | null => {
  const folder = paths.resolve(hiddenName, '..')
  const name = nameBeforeSetAside(paths.nameOf(hiddenName))
  const path = name === null ? null : paths.join(folder, name)
  return path !== null && paths.nameOf(path) === name && paths.same(paths.resolve(path, '..'), folder)
    ? path
    : null
}

/**
 * A copy in an archive may be half written, and the keeper decides about it. Its name alone is compared: no other file has
 * it, and a watched folder can lead to the archive by a different path.
 */
const isOwnCopy = ({ journal, paths }: World, hiddenName: string): boolean =>
  journal.removals.copies.paths().some((copy) => paths.same(paths.nameOf(copy), paths.nameOf(hiddenName)))

/** False if the name could not be restored. */
const restoreName = async (world: World, hiddenName: string, isShared: boolean): Promise<boolean> => {
  const { journal, paths } = world
  const path = originalPath(world, hiddenName)
  if (path === null) return true
  if (isShared && (await mayBelongToOtherStation(world, hiddenName))) return true
  if (journal.removals.underWay().some((removal) => paths.same(removal.hiddenName, hiddenName))) return true
  if (isOwnCopy(world, hiddenName)) return true
  const back = await restoreHiddenFile(world, path, hiddenName)
  if (typeof back === 'object') journal.activity.note({ kind: 'given-back', path: back.path })
  return back !== 'refused'
}

/**
 * While a file is being removed, it has a hidden name that the journal knows. If the journal is lost, the name itself
 * contains the original one: a scan restores it, and the next scan finds the file. This never deletes anything.
 */
export const restoreNamesOnScan = (world: World, eyes: FolderEyes): FolderEyes => {
  /** By folder: names that could not be restored, and when to retry. */
  const refused = new Map<string, Map<string, number>>()

  const restoreAll = async (folder: string, hiddenNames: readonly string[]): Promise<void> => {
    const { clock, log, paths } = world
    const [before, after] = [refused.get(paths.key(folder)), new Map<string, number>()]
    const isShared = (await eyes.sharing(folder)) === 'shared'
    const failed: string[] = []
    for (const hiddenName of hiddenNames) {
      const retryAtMs = before?.get(hiddenName) ?? 0
      if (clock.monotonicMs() < retryAtMs) after.set(hiddenName, retryAtMs)
      else if (!(await restoreName(world, hiddenName, isShared))) {
        after.set(hiddenName, clock.monotonicMs() + ORIGINAL_NAME_RETRY_DELAY_MS)
        failed.push(hiddenName)
      }
    }
    // One line for all: anybody who can write to the folder controls how many there are.
    if (failed.length > 0)
      log.warn('recordings could not get their names back', { count: failed.length, first: failed[0] })
    refused.set(paths.key(folder), after)
  }

  return {
    ...eyes,
    scan: async (folder, signal, enter) => {
      const result = await eyes.scan(folder, signal, enter)
      if (result.kind !== 'scanned') return result
      if (result.setAside.length > 0) await restoreAll(folder.path, result.setAside)
      else refused.delete(world.paths.key(folder.path))
      return result
    },
  }
}
