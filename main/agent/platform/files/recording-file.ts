import { type FileHandle, open } from 'node:fs/promises'
import { done, failed, type Outcome } from '../../domain/failure.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { FileChangedError, FileUnreadableError, type OpenRecording } from '../../ports/files.ts'
import { DriveCalls } from './drive-calls.ts'
import { fileFailure, systemCode } from './file-failure.ts'
import { whyOutside } from './inside-root.ts'
import { readFlags } from './open-file.ts'
import type { SendThrottle } from './send-throttle.ts'
import { describeChange, identityOf } from './stat-identity.ts'

/**
 * Hard case: A file is changed, replaced, moved or deleted.
 * Every step compares the file's identity (device, inode, size, times), and the storage refuses a part whose
 * bytes do not match their checksum.
 */

type Range = Parameters<OpenRecording['read']>[0]

/** This size is as fast as 1 MiB and needs half the memory (measured with a dozen parallel uploads). */
const chunkBytes = 512 * 1024

/**
 * Reads fill this many buffers in turn. While Sluice sends one chunk, it already reads the next one. The end of the
 * previous one may still be in the socket. So four buffers are enough. A new buffer for each chunk would stay in memory
 * until garbage collection (measured: 234 MB instead of 187 MB for the whole agent).
 */
const ringChunks = 4

/** `root` is the watched folder that must contain the file. If it is null, the file may lie anywhere. */
export const openRecording = async (
  path: string,
  root: string | null = null,
  throttle: SendThrottle | null = null,
  calls: DriveCalls = new DriveCalls(),
): Promise<Outcome<OpenRecording>> => {
  const closeLate = (outcome: Outcome<FileHandle>) => {
    if (outcome.ok) outcome.value.close().catch(() => {})
  }
  try {
    const opened = await calls.run(root, () => openInside(path, root), closeLate)
    return opened.ok ? done(recordingOf(opened.value, { path, root }, throttle, calls)) : opened
  } catch (error) {
    return failed(fileFailure(error))
  }
}

const openInside = async (path: string, root: string | null): Promise<Outcome<FileHandle>> => {
  let handle: FileHandle | null = null
  try {
    handle = await open(path, readFlags)
    const detail = (await handle.stat()).isFile()
      ? await whyOutside(handle, path, root)
      : 'it is not a regular file'
    if (detail === null) return done(handle)
    await handle.close()
    return failed({ kind: 'file-unreadable', detail })
  } catch (error) {
    await handle?.close()
    return failed(fileFailure(error))
  }
}

const throwUnreadable = (error: unknown): never => {
  throw systemCode(error) === null ? error : new FileUnreadableError(fileFailure(error))
}

const recordingOf = (
  handle: FileHandle,
  { path, root }: { readonly path: string; readonly root: string | null },
  throttle: SendThrottle | null,
  calls: DriveCalls,
): OpenRecording => {
  const reading = new Set<Promise<unknown>>()
  /** Calls that the drive has not answered yet, including calls that timed out. */
  const pending = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  const run = <T>(call: () => Promise<T>): Promise<T> =>
    calls.run(root, () => {
      if (closing !== null) throw new Error('the recording is closed')
      const answer = call()
      const ended = answer.catch(() => {}).finally(() => pending.delete(ended))
      pending.add(ended)
      return answer
    })

  const readChunk = async (buffer: Buffer, position: number): Promise<Buffer> => {
    const { length } = buffer
    let filledBytes = 0
    await throttle?.waitForTurn(() => closing === null)
    const startedMs = performance.now()
    while (filledBytes < length) {
      const { bytesRead } = await run(() =>
        handle.read(buffer, filledBytes, length - filledBytes, position + filledBytes),
      )
      if (bytesRead === 0) throw new FileChangedError(`the file ends at ${position + filledBytes} bytes`)
      filledBytes += bytesRead
    }
    throttle?.addRead(performance.now() - startedMs)
    return buffer
  }

  const track = <T>(work: Promise<T>): Promise<T> => {
    const tracked = work.catch(throwUnreadable).finally(() => reading.delete(tracked))
    reading.add(tracked)
    // A failed read-ahead that no caller awaits yet must not crash the process.
    tracked.catch(() => {})
    return tracked
  }

  const identify = async (): Promise<FileIdentity> =>
    identityOf(await track(run(() => handle.stat({ bigint: true }))))

  const assertSame = async (expected: FileIdentity): Promise<void> => {
    const now = await identify()
    if (!sameFile(expected, now)) throw new FileChangedError(describeChange(expected, now))
  }

  /**
   * Checks again that the watched folder contains the file, because a folder on its path may have been moved since the
   * file was opened.
   */
  const assertInside = async (): Promise<void> => {
    const detail = await track(run(() => whyOutside(handle, path, root)))
    if (detail !== null) throw new FileUnreadableError({ kind: 'file-unreadable', detail })
  }

  async function* read({
    start,
    length,
    identity,
    throttle,
    buffers = [],
  }: Range): AsyncGenerator<Uint8Array> {
    // A part that fits in one chunk is read completely before it is sent, so the check after the read is enough.
    if (length > chunkBytes) await assertSame(identity)
    await assertInside()
    const end = start + length
    let chunkCount = 0
    const readAt = (position: number) => {
      const slot = chunkCount++ % ringChunks
      const chunkLength = Math.min(chunkBytes, end - position)
      let buffer = buffers[slot]
      if (buffer === undefined || buffer.length < chunkLength) buffer = Buffer.allocUnsafeSlow(chunkLength)
      buffers[slot] = buffer
      return track(readChunk(buffer.subarray(0, chunkLength), position))
    }
    let nextChunk = length > 0 ? readAt(start) : null
    for (let position = start; nextChunk !== null; ) {
      const chunk: Buffer = await nextChunk
      position += chunk.length
      // Read one chunk ahead, so that disk and network work at the same time.
      nextChunk = position < end ? readAt(position) : null
      await throttle?.(chunk.length)
      // Check the file before the last chunk is sent, so that a changed file never completes a part.
      if (nextChunk === null) await assertSame(identity)
      yield chunk
    }
  }

  /**
   * Waits for running reads, because they use the number of the descriptor. After a close, the system may give this
   * number to a different file.
   */
  const close = (): Promise<void> => {
    closing ??= Promise.allSettled([...reading, ...pending]).then(() => handle.close())
    return calls.waitForClose(root, closing)
  }

  return { identify, read, close }
}
