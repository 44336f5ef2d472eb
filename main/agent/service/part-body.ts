import { FileChangedError } from '../ports/files.ts'
import type { SourceProgress } from './exchange.ts'
import { createSlicer } from './slicer.ts'

export type PartBody = {
  readonly stream: (progress: SourceProgress) => AsyncIterable<Uint8Array>
  /** The error of the source, or null. */
  readonly error: () => unknown
  readonly allSent: () => boolean
  /** Resolves when the source has ended or thrown: by then the source has compared the file with its hash. */
  readonly finished: Promise<void>
  /** Resolves when the last read of the source has succeeded or failed. */
  readonly lastRead: () => Promise<void>
  /** Releases the file if the exchange ended first. */
  readonly stop: () => void
}

type PartSource = {
  readonly sizeBytes: number
  readonly body: () => AsyncIterable<Uint8Array>
  readonly onProgress: (bytes: number) => void
  readonly monotonicMs: () => number
}

/**
 * Streams bytes from the file to the socket in chunks, without copying. A chunk counts as sent when the next one is
 * requested. If the source is shorter or longer than the part, the file has changed. Then the socket is destroyed
 * before the declared length is reached, so the storage cannot accept it as a whole part.
 */
export const createPartBody = (part: PartSource): PartBody => {
  let iterator: AsyncIterator<Uint8Array> | null = null
  let handedOver = 0
  let unreported = 0
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
    // A destroyed socket requests one more chunk. A stopped part must not report progress.
    if (unreported > 0 && !isFinished) part.onProgress(unreported)
    unreported = 0
  }
  const handOver = (chunk: Uint8Array): IteratorResult<Uint8Array, undefined> => {
    handedOver += chunk.byteLength
    if (handedOver > part.sizeBytes) throw new FileChangedError('the file is longer than it was')
    unreported = chunk.byteLength
    return { done: false, value: chunk }
  }
  const pull = async (source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, undefined>> => {
    const rest = slicer.next()
    if (rest !== null) return handOver(rest)
    for (;;) {
      const result = await source.next()
      if (result.done !== true) {
        const slice = slicer.take(result.value)
        if (slice !== null) return handOver(slice)
        continue
      }
      if (handedOver < part.sizeBytes) throw new FileChangedError('the file is shorter than it was')
      end()
      return { done: true, value: undefined }
    }
  }
  const stop = () => {
    if (isFinished) return
    end()
    // Not awaited: a source may be in the middle of a slow read.
    iterator?.return?.()?.then(undefined, () => {})
  }

  return {
    stream: (progress) => {
      const source = part.body()[Symbol.asyncIterator]()
      iterator = source
      const readNext = async () => {
        reportProgress()
        progress.waiting()
        try {
          return await pull(source)
        } catch (thrown) {
          error ??= thrown
          stop()
          throw thrown
        } finally {
          progress.sent()
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
    allSent: () => handedOver === part.sizeBytes,
    finished,
    lastRead: () => lastRead,
    stop,
  }
}
