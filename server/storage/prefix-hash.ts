import { createHash } from 'node:crypto'
import type { PartRow } from '../store/parts.ts'
import type { PrefixHashRow } from '../store/prefix-hashes.ts'
import { loadResumableSha256, type ResumableSha256 } from './resumable-sha256.ts'

export type PrefixHash = { readonly parts: number; readonly hash: ResumableSha256 }

/**
 * Loads the stored hash of the first parts. Null if there is none, if it cannot be loaded, or if one of these parts
 * was replaced.
 */
export async function loadPrefix(
  row: PrefixHashRow | undefined,
  parts: readonly PartRow[],
): Promise<PrefixHash | null> {
  if (row === undefined || row.files !== filesOf(parts.slice(0, row.parts))) return null
  const hash = await loadResumableSha256(row.state)
  return hash === null ? null : { parts: row.parts, hash }
}

export function prefixRow(parts: readonly PartRow[], hash: ResumableSha256): PrefixHashRow {
  return {
    session_id: parts[0]!.session_id,
    parts: parts.length,
    files: filesOf(parts),
    state: hash.save(),
  }
}

/** Each upload of a part has its own name, so equal names mean equal bytes. */
function filesOf(parts: readonly PartRow[]): string {
  const names = parts.map(({ file }) => file)
  return createHash('sha256').update(names.join('\n')).digest('hex')
}
