import { createHash } from 'node:crypto'
import type { PartRow } from '../store/parts.ts'
import { type Bytes, MissingBytesError } from './bytes.ts'

/**
 * SHA-256 of all parts in order. It reads in slices, so that other requests run in between. `gone`: a part was deleted
 * meanwhile.
 */
export async function hashRecording(bytes: Bytes, parts: readonly PartRow[]): Promise<string | 'gone'> {
  const hash = createHash('sha256')
  try {
    for (const part of parts) {
      for await (const chunk of bytes.chunks(part.file)) hash.update(chunk)
    }
  } catch (error) {
    if (error instanceof MissingBytesError) return 'gone'
    throw error
  }
  return hash.digest('hex')
}
