import { createHash } from 'node:crypto'
import type { PartRow } from '../store/parts.ts'
import type { PartFiles } from './part-files.ts'

const readBytes = 1 << 20

/** SHA-256 of all parts in order, in slices so that other requests are served in between. `gone`: deleted meanwhile. */
export async function hashRecording(files: PartFiles, parts: readonly PartRow[]): Promise<string | 'gone'> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(Math.min(readBytes, Math.max(1, ...parts.map((part) => part.bytes))))
  for (const part of parts) {
    const handle = await files.openForReading(part.file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (handle === null) return 'gone'
    try {
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length)
        if (bytesRead === 0) break
        hash.update(buffer.subarray(0, bytesRead))
      }
    } finally {
      await handle.close()
    }
  }
  return hash.digest('hex')
}
