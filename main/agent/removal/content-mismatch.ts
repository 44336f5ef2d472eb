import { sameFile } from '../domain/file-identity.ts'
import type { Wait } from '../domain/removal-rules.ts'
import type { Recording } from '../journal/journal.ts'
import type { StageWorld } from '../stage/stage.ts'

/** The hash threads need a part size, but this check ignores the part digests. */
const PART_BYTES = 64 * 1024 * 1024

type World = Pick<StageWorld, 'files' | 'hashing' | 'guard'>

/** `edited`: the SHA-256 of the whole file differs. */
export type ContentMismatch = Wait | 'edited'

/**
 * Null if the file still has the uploaded content. A program can edit a file and restore its timestamps, so Sluice
 * reads the whole file. As soon as `mustYield` returns true, it stops and retries later.
 */
export const contentMismatch = async (
  { files, hashing, guard }: World,
  recording: Recording,
  what: { readonly path: string; readonly is: 'source' | 'hidden' | 'copy' },
  { signal, mustYield }: { readonly signal: AbortSignal; readonly mustYield: () => boolean },
): Promise<ContentMismatch | null> => {
  const found = await files.identify(what.path)
  if (!found.ok) return found.failure.kind === 'file-vanished' ? 'file-gone' : 'file-refused'
  if (found.value.sizeBytes !== recording.identity.sizeBytes) return 'file-changed'
  if (what.is === 'source' && !sameFile(found.value, recording.identity)) return 'file-changed'
  if (mustYield()) return 'interrupted'
  const yielding = new AbortController()
  const hashed = await hashing.hash({
    path: what.path,
    identity: found.value,
    partSizeBytes: PART_BYTES,
    onProgress: () =>
      guard('the remover', () => {
        if (!yielding.signal.aborted && mustYield()) yielding.abort()
      }),
    signal: AbortSignal.any([signal, yielding.signal]),
  })
  if (hashed.ok) return hashed.value.sha256 === recording.sha256 ? null : 'edited'
  switch (hashed.failure.kind) {
    case 'file-changed':
      return 'file-changed'
    case 'file-vanished':
      return 'file-gone'
    case 'cancelled':
      return 'interrupted'
    default:
      return 'file-refused'
  }
}
