import { createHash } from 'node:crypto'
import type { PartRow } from '../store/parts.ts'
import { type ByteStore, MissingBytesError } from './byte-store.ts'
import type { PrefixHash } from './prefix-hash.ts'
import type { ResumableSha256 } from './resumable-sha256.ts'

export type RecordingHash = { readonly sha256: string; readonly bytesRead: number }

/** The hash in WebAssembly takes at least this many times as long as Node's own hash. */
const SLOW_HASH_FACTOR = 4

/**
 * SHA-256 of all parts in order, continued from `prefix` if that saves time. `gone`: bytes are missing, normally
 * because the session was deleted meanwhile.
 */
export async function hashRecording(
  bytes: ByteStore,
  parts: readonly PartRow[],
  prefix: PrefixHash | null,
): Promise<RecordingHash | 'gone'> {
  const used = prefix !== null && savesTime(prefix, parts) ? prefix : null
  const hash = used?.hash ?? nativeSha256()
  let bytesRead = 0
  try {
    for (const part of parts.slice(used?.parts ?? 0)) {
      for await (const chunk of bytes.chunks(part.file)) hash.update(chunk)
      bytesRead += part.bytes
    }
  } catch (error) {
    if (error instanceof MissingBytesError) return 'gone'
    throw error
  }
  return { sha256: hash.digest(), bytesRead }
}

/** A slow hash of the remaining parts may take longer than a fast hash of all parts. */
const savesTime = ({ hash, parts: hashed }: PrefixHash, parts: readonly PartRow[]): boolean =>
  hash.isFast || (parts.length - hashed) * SLOW_HASH_FACTOR < parts.length

function nativeSha256(): Pick<ResumableSha256, 'update' | 'digest'> {
  const hash = createHash('sha256')
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest('hex') }
}
