import { type FileIdentity, mayBeSameInode } from '../domain/file-identity.ts'
import type { Wait } from '../domain/removal-rules.ts'
import type { Recording, Removal } from '../journal/journal.ts'
import type { StageWorld } from '../stage/stage.ts'
import type { ContentMismatch } from './content-mismatch.ts'

/**
 * Finds the finished copy of an earlier attempt in the target folder `to`. Returns null only if there is certainly no
 * such copy, because Sluice then makes a new one, and a missed copy would stay in the archive forever.
 */
export const findEarlierCopy = async (
  { files, paths }: Pick<StageWorld, 'files' | 'paths'>,
  { identity }: Pick<Recording, 'identity'>,
  { target, copy, action }: Pick<Removal, 'target' | 'copy' | 'action'>,
  to: string,
  contentMismatch: (path: string) => Promise<ContentMismatch | null>,
): Promise<
  { readonly target: string; readonly identity: FileIdentity } | { readonly waits: Wait } | null
> => {
  if (target === null || copy === null || action !== 'move') return null
  if (!paths.contains(to, target)) return null
  const found = await files.identify(target)
  if (!found.ok) return found.failure.kind === 'file-busy' ? { waits: 'target-refused' } : null
  if (mayBeSameInode(found.value, identity)) return null
  const mismatch = await contentMismatch(target)
  switch (mismatch) {
    case null:
      return { target, identity: found.value }
    case 'edited':
    case 'file-changed':
    case 'file-gone':
      return null
    case 'file-refused':
      return { waits: 'target-refused' }
    default:
      return { waits: mismatch }
  }
}
