import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Inspection } from '../../shared/status/inspection.ts'
import type { InspectFile } from './inspect.ts'
import type { FromThread, ToThread } from './processing-job.ts'

/** The thread itself ends an inspection at the time limit, unless the content keeps it in a loop without a read. */
const defaultGraceMs = 10_000
const heapMb = 128

/**
 * Inspects recordings in a thread with limited memory and time, so that a hostile file does not delay the answers of the
 * server. The inspectors themselves bound what they unpack: the limit of the heap is a second defence, which no test reaches.
 */
export class Inspector {
  readonly #graceMs: number
  #worker: Worker | null = null

  constructor(graceMs = defaultGraceMs) {
    this.#graceMs = graceMs
  }

  readonly inspect: InspectFile = ({ name, size, read }, timeMs, signal) => {
    signal.throwIfAborted()
    const worker = this.#start()
    const send = (message: ToThread) => worker.postMessage(message)
    let readError: unknown = null
    return new Promise<Inspection>((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer)
        worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd)
        signal.removeEventListener('abort', onAbort)
        end()
      }
      const endEarly = (detail: string) => {
        this.#end(worker)
        settle(() => resolve(incompleteInspection(detail)))
      }
      const onMessage = (message: FromThread) => {
        switch (message.kind) {
          case 'read': {
            const { id, offset, length } = message
            read(offset, length).then(
              (bytes) => send({ kind: 'bytes', id, bytes }),
              (error: unknown) => {
                readError = error
                send({ kind: 'unreadable', id })
              },
            )
            return
          }
          case 'inspected':
            return settle(() => resolve(message.inspection))
          case 'failed':
            return settle(() => reject(readError))
          default:
            return message satisfies never
        }
      }
      const onEnd = () => endEarly('The inspection needed too much memory.')
      const onAbort = () => {
        this.#end(worker)
        settle(() => reject(signal.reason))
      }
      const timer = setTimeout(() => endEarly('The inspection took too long.'), timeMs + this.#graceMs)
      worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd)
      signal.addEventListener('abort', onAbort, { once: true })
      send({ kind: 'inspect', name, size, timeMs })
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker
    const entry = new URL(`./processing-worker${extname(import.meta.filename)}`, import.meta.url)
    const resourceLimits = { maxOldGenerationSizeMb: heapMb }
    const worker = new Worker(entry, { name: 'processing-worker', execArgv: [], resourceLimits })
    // `inspect` has its own listener. Without this one, an error between two inspections would end the server.
    worker.on('error', () => {})
    worker.once('exit', () => this.#forget(worker))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null
  }

  #end(worker: Worker): void {
    this.#forget(worker)
    void worker.terminate()
  }
}

/** The recording is complete and verified, so a failed inspection is only a warning. */
function incompleteInspection(detail: string): Inspection {
  return {
    format: 'other',
    completeness: 'unknown',
    startedAtMs: null,
    endedAtMs: null,
    durationS: null,
    channels: [],
    warnings: [{ code: 'took-too-long', detail }],
  }
}
