import { nameBeforeSetAside } from '../../../shared/paths/system-names.ts'
import type { FolderEyes } from '../ports/folders.ts'
import { putBack, type RemovalWorld } from './restore-hidden-file.ts'

/** On a drive that other PCs share, what is younger may be on its way out by the hand of another station. */
const OTHERS_HAND_MS = 10 * 60_000
/** Each attempt changes the folder, and each change of a folder starts a scan: without a wait that never ends. */
const RETRY_MS = 3_600_000

type World = Pick<RemovalWorld, 'journal' | 'acts' | 'files' | 'clock' | 'paths' | 'log'>

const isOthers = async ({ files, clock }: World, aside: string): Promise<boolean> => {
  const found = await files.identify(aside)
  // A new name sets the time of the last change.
  return (
    !found.ok || Math.abs(clock.wallMs() - Number(BigInt(found.value.ctimeNs) / 1_000_000n)) < OTHERS_HAND_MS
  )
}

/** Where the file was; null for a name that Sluice cannot have made, which is then left alone. */
const pathBefore = ({ paths }: World, aside: string): string | null => {
  const folder = paths.resolve(aside, '..')
  const name = nameBeforeSetAside(paths.nameOf(aside))
  const path = name === null ? null : paths.join(folder, name)
  return path !== null && paths.nameOf(path) === name && paths.same(paths.resolve(path, '..'), folder)
    ? path
    : null
}

/** False if the name could not be given back. */
const giveBack = async (world: World, aside: string, isShared: boolean): Promise<boolean> => {
  const { journal, paths } = world
  const path = pathBefore(world, aside)
  if (path === null) return true
  if (isShared && (await isOthers(world, aside))) return true
  if (journal.removals.underWay().some((removal) => paths.same(removal.aside, aside))) return true
  const back = await putBack(world, path, aside)
  if (typeof back === 'object') journal.activity.note({ kind: 'given-back', path: back.path })
  return back !== 'refused'
}

/**
 * A file on its way out has a hidden name for a moment, and the journal knows it. If that journal is lost, the name itself
 * says what the file was called: a scan gives it back, and the next scan finds it. Nothing is ever deleted.
 */
export const givingBack = (world: World, eyes: FolderEyes): FolderEyes => {
  /** By folder: the names that could not be given back, and when to try again. */
  const refused = new Map<string, Map<string, number>>()

  const giveAllBack = async (folder: string, asides: readonly string[]): Promise<void> => {
    const { clock, log, paths } = world
    const [before, after] = [refused.get(paths.key(folder)), new Map<string, number>()]
    const isShared = (await eyes.sharing(folder)) === 'shared'
    const failed: string[] = []
    for (const aside of asides) {
      const retryAtMs = before?.get(aside) ?? 0
      if (clock.monotonicMs() < retryAtMs) after.set(aside, retryAtMs)
      else if (!(await giveBack(world, aside, isShared))) {
        after.set(aside, clock.monotonicMs() + RETRY_MS)
        failed.push(aside)
      }
    }
    // One line for all: whoever may write into the folder decides how many there are.
    if (failed.length > 0)
      log.warn('recordings could not get their names back', { count: failed.length, first: failed[0] })
    refused.set(paths.key(folder), after)
  }

  return {
    ...eyes,
    scan: async (folder, signal, enter) => {
      const result = await eyes.scan(folder, signal, enter)
      if (result.kind !== 'scanned') return result
      if (result.setAside.length > 0) await giveAllBack(folder.path, result.setAside)
      else refused.delete(world.paths.key(folder.path))
      return result
    },
  }
}
