import { type FileIdentity, sameExceptCtime, sameFile } from '../domain/file-identity.ts'
import { removableUnseenAtMs, type Wait } from '../domain/removal-rules.ts'
import type { Recording } from '../journal/journal.ts'
import type { FileInspection } from '../ports/files.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { StageWorld } from '../stage/stage.ts'

type Clocks = Pick<StageWorld, 'clock'> & { readonly service: Pick<ServiceClient, 'nowMs'> }

/**
 * How long a file with a possibly unseen writer must still stay. This PC's clock may be years ahead, so the day must also
 * have passed by the service's clock.
 */
export const unseenWaitMs = ({ clock, service }: Clocks, identity: FileIdentity): number => {
  const nowMs = Math.min(clock.wallMs(), service.nowMs())
  return removableUnseenAtMs(identity, nowMs) - nowMs
}

/**
 * Uses the file's times from before the rename, because the rename changes them. On a share, the recorder of another PC
 * may have the file open, and this PC cannot see that.
 */
export const writerObjection = (
  clocks: Clocks,
  identity: FileIdentity,
  { writer, shared = false }: Pick<FileInspection, 'writer' | 'shared'>,
): Wait | null => {
  const known = writer === 'none' && shared ? 'unseen' : writer
  switch (known) {
    case 'open':
      return 'file-open'
    case 'none':
      return null
    case 'unlikely':
    case 'unseen':
      return unseenWaitMs(clocks, identity) > 0 ? 'writer-unseen' : null
  }
}

/** Why a due file stays, as far as its identity and its writers show. The content is compared later. */
export const fileObjection = async (
  { files, ...clocks }: Clocks & Pick<StageWorld, 'files'>,
  { path, identity }: Pick<Recording, 'path' | 'identity'>,
): Promise<Wait | null> => {
  const found = await files.identify(path)
  if (!found.ok) return found.failure.kind === 'file-vanished' ? 'file-gone' : 'file-refused'
  // Changed permissions or a rename: the watcher handles it, and then the content is compared.
  if (!sameFile(found.value, identity))
    return sameExceptCtime(found.value, identity) ? 'interrupted' : 'file-changed'
  const seen = await files.inspect(path, 'before-removal')
  if (!seen.ok) return seen.failure.kind === 'file-vanished' ? 'file-gone' : 'file-refused'
  return writerObjection(clocks, identity, seen.value)
}
