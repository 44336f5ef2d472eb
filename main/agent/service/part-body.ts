import { FileChangedError } from '../ports/files.ts'
import type { SourceProgress } from './exchange.ts'
import { createSlicer } from './slicer.ts'

export type PartBody = {
  readonly stream: (progress: SourceProgress) => AsyncIterable<Uint8Array>
  /** The error with which the source ended, or null. */
  readonly error: () => unknown
  readonly isAllSent: () => boolean
  /**
   * Resolves when the source has ended or failed, or on `stop`. A source that ends without an error has checked that
   * the file is unchanged.
   */
  readonly finished: Promise<void>
  /** Resolves when the latest read of the source has succeeded or failed. */
  readonly lastRead: () => Promise<void>
  /** Releases the file. Call this if the exchange ends early. */
  readonly stop: () => void
}

type PartSource = {
  readonly sizeBytes: number
  readonly body: () => AsyncIterable<Uint8Array>
  readonly onProgress: (bytes: number) => void
  readonly monotonicMs: () => number
}

/**
 * Streams bytes from the file to the socket without copying. A chunk counts as sent when the socket requests the next
 * one. If the file is too short or too long, the error destroys the socket, so that the storage never gets a whole
 * part.
 */
export const createPartBody = (part: PartSource): PartBody => {
  let iterator: AsyncIterator<Uint8Array> | null = null
  let handedOverBytes = 0
  let unreportedBytes = 0
  let error: unknown = null
  let isFinished = false
  let lastRead = Promise.resolve()
  const slicer = createSlicer(part.monotonicMs)
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()

  const end = () => {
    isFinished = true
    finish()
  }
  const reportProgress = () => {
    // A destroyed socket requests one more chunk, which is no progress.
    if (unreportedBytes > 0 && !isFinished) part.onProgress(unreportedBytes)
    unreportedBytes = 0
  }
  const handOver = (chunk: Uint8Array): IteratorResult<Uint8Array, undefined> => {
    handedOverBytes += chunk.byteLength
    if (handedOverBytes > part.sizeBytes) throw new FileChangedError('the file is longer than it was')
    unreportedBytes = chunk.byteLength
    return { done: false, value: chunk }
  }
  const pull = async (source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, undefined>> => {
    const nextSlice = slicer.next()
    if (nextSlice !== null) return handOver(nextSlice)
    for (;;) {
      const result = await source.next()
      if (result.done !== true) {
        const slice = slicer.take(result.value)
        if (slice !== null) return handOver(slice)
        continue
      }
      if (handedOverBytes < part.sizeBytes) throw new FileChangedError('the file is shorter than it was')
      end()
      return { done: true, value: undefined }
    }
  }
  const stop = () => {
    if (isFinished) return
    end()
    // Do not await this, because the source may be in a slow read.
    iterator?.return?.()?.then(undefined, () => {})
  }

  return {
    stream: (progress) => {
      const source = part.body()[Symbol.asyncIterator]()
      iterator = source
      const readNext = async () => {
        reportProgress()
        progress.onWaiting()
        try {
          return await pull(source)
        } catch (thrown) {
          error ??= thrown
          stop()
          throw thrown
        } finally {
          progress.onSent()
        }
      }
      const next = () => {
        const result = readNext()
        lastRead = result.then(
          () => {},
          () => {},
        )
        return result
      }
      const onReturn = async () => {
        stop()
        return { done: true as const, value: undefined }
      }
      return { [Symbol.asyncIterator]: () => ({ next, return: onReturn }) }
    },
    error: () => error,
    isAllSent: () => handedOverBytes === part.sizeBytes,
    finished,
    lastRead: () => lastRead,
    stop,
  }
}
