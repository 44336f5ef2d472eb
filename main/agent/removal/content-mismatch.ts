import { sameFile } from '../domain/file-identity.ts'
import type { Wait } from '../domain/keeping.ts'
import type { Recording } from '../journal/journal.ts'
import type { StageWorld } from '../stage/stage.ts'

/** The hash threads cut while they read; nobody wants these parts. */
const PART_BYTES = 64 * 1024 * 1024

type World = Pick<StageWorld, 'files' | 'hashing' | 'guard'>

/**
 * Whether the bytes are those that were uploaded: an edit whose times were set back is seen by nothing else. `givesWay`
 * is asked before and while it is read; then it is read another time.
 */
export const contentObjection = async (
  { files, hashing, guard }: World,
  recording: Recording,
  what: { readonly path: string; readonly is: 'source' | 'copy' },
  { signal, givesWay }: { readonly signal: AbortSignal; readonly givesWay: () => boolean },
): Promise<Wait | null> => {
  const found = await files.identify(what.path)
  if (!found.ok) return 'file-gone'
  if (found.value.sizeBytes !== recording.identity.sizeBytes) return 'file-changed'
  if (what.is === 'source' && !sameFile(found.value, recording.identity)) return 'file-changed'
  if (givesWay()) return 'interrupted'
  const way = new AbortController()
  const hashed = await hashing.hash({
    path: what.path,
    identity: found.value,
    partSizeBytes: PART_BYTES,
    onProgress: () =>
      guard('the keeper', () => {
        if (!way.signal.aborted && givesWay()) way.abort()
      }),
    signal: AbortSignal.any([signal, way.signal]),
  })
  if (hashed.ok) return hashed.value.sha256 === recording.sha256 ? null : 'file-changed'
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
