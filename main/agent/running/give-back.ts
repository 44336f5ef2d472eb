import { nameBefore } from '../domain/aside-name.ts'
import type { FolderEyes } from '../ports.ts'
import { putBack, type RemovalWorld } from './put-right.ts'

/** On a drive that other PCs share, what is younger may be on its way out by the hand of another station. */
const OTHERS_HAND_MS = 10 * 60_000

type World = Pick<RemovalWorld, 'journal' | 'acts' | 'files' | 'clock' | 'paths' | 'log'>

const isOthers = async ({ files, clock }: World, aside: string): Promise<boolean> => {
  const found = await files.identify(aside)
  // A new name sets the time of the last change.
  return (
    !found.ok || Math.abs(clock.wallMs() - Number(BigInt(found.value.ctimeNs) / 1_000_000n)) < OTHERS_HAND_MS
  )
}

const giveBack = async (world: World, aside: string, isShared: boolean): Promise<void> => {
  const { journal, paths } = world
  if (isShared && (await isOthers(world, aside))) return
  if (journal.removals.underWay().some((removal) => paths.same(removal.aside, aside))) return
  const path = paths.join(paths.resolve(aside, '..'), nameBefore(paths.nameOf(aside)))
  const back = await putBack(world, path, aside)
  if (typeof back === 'object') journal.activity.note({ kind: 'given-back', path: back.path })
}

/**
 * What was set aside has a hidden name for a moment, and the journal knows its own. Where that journal is lost, its name
 * tells: a look through the folder gives it back, and the next look finds it. Nothing of it is ever deleted.
 */
export const givingBack = (world: World, eyes: FolderEyes): FolderEyes => ({
  ...eyes,
  scan: async (folder, signal, enter) => {
    const result = await eyes.scan(folder, signal, enter)
    if (result.kind === 'scanned' && result.setAside.length > 0) {
      const isShared = (await eyes.sharing(folder.path)) === 'shared'
      for (const aside of result.setAside) await giveBack(world, aside, isShared)
    }
    return result
  },
})
