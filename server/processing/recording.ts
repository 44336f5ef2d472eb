import type { ByteReader, ByteStore } from '../storage/byte-store.ts'
import type { PartRow } from '../store/parts.ts'

/** A stored recording as one sequence of bytes with random access. */
export type Recording = {
  readonly bytes: number
  /** Shorter than requested only at the end of the recording. */
  read(offset: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/** Stops reading when `signal` aborts: a large file must not delay the shutdown of the server. */
export function openRecording(bytes: ByteStore, parts: readonly PartRow[], signal: AbortSignal): Recording {
  let openPart: { readonly file: string; readonly reader: ByteReader } | null = null
  const readerOf = async (file: string): Promise<ByteReader> => {
    if (openPart?.file === file) return openPart.reader
    await openPart?.reader.close()
    openPart = null
    openPart = { file, reader: await bytes.open(file) }
    return openPart.reader
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
          const reader = await readerOf(part.file)
          pieces.push(await reader.read(from - partStart, to - from))
        }
        partStart += part.bytes
      }
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    },
    async close() {
      await openPart?.reader.close()
      openPart = null
    },
  }
}
