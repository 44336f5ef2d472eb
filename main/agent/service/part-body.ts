import { FileChangedError } from '../ports/files.ts'
import type { OwnPace } from './exchange.ts'
import { createSlicer } from './slicer.ts'

export type PartBody = {
  readonly stream: (pace: OwnPace) => AsyncIterable<Uint8Array>
  /** What the source threw, if it did. */
  readonly error: () => unknown
  readonly allSent: () => boolean
  /** Resolves once the source is done or has thrown; only then its verdict on the file is known. */
  readonly finished: Promise<void>
  /** Resolves once the source has given, or failed to give, what it was last asked for. */
  readonly given: () => Promise<void>
  /** Lets go of the file when the exchange ended first. */
  readonly stop: () => void
}

type PartSource = {
  readonly sizeBytes: number
  readonly body: () => AsyncIterable<Uint8Array>
  readonly onProgress: (bytes: number) => void
  readonly monotonicMs: () => number
}

/**
 * The bytes between the file and the socket, chunk by chunk and uncopied. A chunk counts as sent when the next
 * one is asked for. A source that is shorter or longer than the part is a changed file: the socket is then
 * destroyed before the declared length is reached, so the storage cannot take it for a whole part.
 */
export const createPartBody = (part: PartSource): PartBody => {
  let iterator: AsyncIterator<Uint8Array> | null = null
  let handedOver = 0
  let unreported = 0
  let error: unknown = null
  let isFinished = false
  let given = Promise.resolve()
  const slicer = createSlicer(part.monotonicMs)
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()

  const end = () => {
    isFinished = true
    finish()
  }
  const report = () => {
    // A socket that is torn down asks once more; whoever stopped has already forgotten this part.
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
    const left = slicer.next()
    if (left !== null) return handOver(left)
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
    // Not awaited: a source in the middle of a slow read answers when that read is over.
    iterator?.return?.()?.then(undefined, () => {})
  }

  return {
    stream: (pace) => {
      const source = part.body()[Symbol.asyncIterator]()
      iterator = source
      const ask = async () => {
        report()
        pace.waiting()
        try {
          return await pull(source)
        } catch (thrown) {
          error ??= thrown
          stop()
          throw thrown
        } finally {
          pace.sent()
        }
      }
      const next = () => {
        const result = ask()
        given = result.then(
          () => {},
          () => {},
        )
        return result
      }
      const giveBack = async () => {
        stop()
        return { done: true as const, value: undefined }
      }
      return { [Symbol.asyncIterator]: () => ({ next, return: giveBack }) }
    },
    error: () => error,
    allSent: () => handedOver === part.sizeBytes,
    finished,
    given: () => given,
    stop,
  }
}
