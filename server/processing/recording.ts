import type { FileHandle } from 'node:fs/promises'
import type { PartFiles } from '../storage/part-files.ts'
import type { PartRow } from '../store/parts.ts'

/** A stored recording as one sequence of bytes with random access. */
export type Recording = {
  readonly bytes: number
  /** Shorter than requested only at the end of the recording. */
  read(offset: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/** Stops reading when `signal` aborts: a large file must not delay the end of the sandbox. */
export function openRecording(files: PartFiles, parts: readonly PartRow[], signal: AbortSignal): Recording {
  let open: { readonly file: string; readonly handle: FileHandle } | null = null
  const handleOf = async (file: string): Promise<FileHandle> => {
    if (open?.file === file) return open.handle
    await open?.handle.close()
    open = null
    open = { file, handle: await files.openForReading(file) }
    return open.handle
  }
  return {
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    async read(offset, length) {
      signal.throwIfAborted()
      const pieces: Buffer[] = []
      let partStart = 0
      for (const part of parts) {
        const from = Math.max(offset, partStart)
        const to = Math.min(offset + length, partStart + part.bytes)
        if (from < to) {
          const buffer = Buffer.alloc(to - from)
          const handle = await handleOf(part.file)
          await handle.read(buffer, 0, buffer.length, from - partStart)
          pieces.push(buffer)
        }
        partStart += part.bytes
      }
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    },
    async close() {
      await open?.handle.close()
      open = null
    },
  }
}
