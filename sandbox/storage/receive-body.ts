import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'

export type Received = { readonly bytes: number; readonly sha256: Buffer; readonly md5: string | null }

/** Enough to keep the disk busy, and the bound on what one upload may hold in memory. */
const batchBytes = 1 << 20

/**
 * Streams a body to a file while hashing it. Reading from the socket waits for the disk, so memory stays
 * flat whatever the size. `null` when the client went away before the end.
 */
export async function receiveBody(
  body: IncomingMessage,
  file: FileHandle,
  wantMd5: boolean,
): Promise<Received | null> {
  const sha256 = createHash('sha256')
  const md5 = wantMd5 ? createHash('md5') : null
  let bytes = 0
  let batch: Buffer[] = []
  let batched = 0
  let writing: Promise<unknown> = Promise.resolve()
  const flush = async () => {
    await writing
    const chunks = batch
    writing = file.writev(chunks)
    // Looked at when the next batch is due; until then a failure must not count as unhandled.
    writing.catch(() => {})
    batch = []
    batched = 0
  }
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      sha256.update(chunk)
      md5?.update(chunk)
      bytes += chunk.length
      batch.push(chunk)
      batched += chunk.length
      if (batched >= batchBytes) await flush()
    }
    if (batch.length > 0) await flush()
    await writing
  } catch (error) {
    await writing.catch(() => {})
    if (body.destroyed && !body.complete) return null
    throw error
  }
  return { bytes, sha256: sha256.digest(), md5: md5?.digest('hex') ?? null }
}
