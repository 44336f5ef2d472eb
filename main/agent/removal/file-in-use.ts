import { type FileIdentity, sameExceptCtime, sameFile } from '../domain/file-identity.ts'
import { removableWithUnseenWriterAtMs, type Wait } from '../domain/removal-rules.ts'
import type { Recording } from '../journal/journal.ts'
import type { FileInspection } from '../ports/files.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { StageWorld } from '../stage/stage.ts'

type Clocks = Pick<StageWorld, 'clock'> & { readonly service: Pick<ServiceClient, 'nowMs'> }

/**
 * How long Sluice must still keep a file that may have an unseen writer. The PC's clock may be years ahead, so a day
 * must also have passed by the service's clock.
 */
export const unseenWaitMs = ({ clock, service }: Clocks, identity: FileIdentity): number => {
  const nowMs = Math.min(clock.wallMs(), service.nowMs())
  return removableWithUnseenWriterAtMs(identity, nowMs) - nowMs
}

/**
 * Why Sluice keeps a file that a program may still write, or null. `identity` is from before the rename to the hidden
 * name, which changes the ctime. On a share, `none` counts as `unseen`, because a recorder on another PC may have the
 * file open.
 */
export const writerObjection = (
  clocks: Clocks,
  identity: FileIdentity,
  { writer, shared = false }: Pick<FileInspection, 'writer' | 'shared'>,
): Wait | null => {
  const possibleWriter = writer === 'none' && shared ? 'unseen' : writer
  switch (possibleWriter) {
    case 'open':
      return 'file-open'
    case 'none':
      return null
    case 'unlikely':
    case 'unseen':
      return unseenWaitMs(clocks, identity) > 0 ? 'writer-unseen' : null
  }
}

/**
 * Why Sluice keeps a file that is due for removal, or null. Checks only the identity and the writers. Sluice compares
 * the content later.
 */
export const fileObjection = async (
  { files, ...clocks }: Clocks & Pick<StageWorld, 'files'>,
  { path, identity }: Pick<Recording, 'path' | 'identity'>,
): Promise<Wait | null> => {
  const found = await files.identify(path)
  if (!found.ok) return found.failure.kind === 'file-vanished' ? 'file-gone' : 'file-refused'
  // If only the ctime differs, the watcher first records the new identity. The next attempt compares the content.
  if (!sameFile(found.value, identity))
    return sameExceptCtime(found.value, identity) ? 'interrupted' : 'file-changed'
  const inspected = await files.inspect(path, 'before-removal')
  if (!inspected.ok) return inspected.failure.kind === 'file-vanished' ? 'file-gone' : 'file-refused'
  return writerObjection(clocks, identity, inspected.value)
}
