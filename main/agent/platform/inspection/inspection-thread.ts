import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Inspection } from '../../../../shared/status/inspection.ts'
import { done, failed, type Outcome } from '../../domain/failure.ts'
import type { InspectionRequest, InspectionThread } from '../../ports/inspection.ts'
import { DriveCalls, DriveTimeoutError } from '../files/drive-calls.ts'
import { fileFailure } from '../files/file-failure.ts'
import type { InspectionAnswer, InspectionJob } from './inspection-job.ts'

/** Enough to read through a gigabyte without an index. A file with an index takes milliseconds. */
const TIME_LIMIT_MS = 20_000
/** The thread ends an inspection by itself, unless the drive hangs. */
const GRACE_MS = 10_000
/** Recordings often end in groups. An idle thread would only hold memory. */
const IDLE_MS = 10_000
const HEAP_MB = 64

export type InspectionThreadOptions = {
  /** The watched folder that must contain a file. */
  readonly rootOf?: (path: string) => string | null
  readonly calls?: DriveCalls
  readonly timeMs?: number
  readonly graceMs?: number
}

const cancelled = failed({ kind: 'cancelled' })

const endedEarly = (code: 'took-too-long' | 'damaged', detail: string): Outcome<Inspection> =>
  done({
    format: 'other',
    completeness: 'unknown',
    startedAtMs: null,
    endedAtMs: null,
    durationS: null,
    channels: [],
    warnings: [{ code, detail }],
  })

export const createInspectionThread = ({
  rootOf = () => null,
  calls = new DriveCalls(),
  timeMs = TIME_LIMIT_MS,
  graceMs = GRACE_MS,
}: InspectionThreadOptions = {}): InspectionThread => {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  const closing = new AbortController()

  const start = (): Worker => {
    const entry = new URL(`./inspection-worker${extname(import.meta.filename)}`, import.meta.url)
    const started = new Worker(entry, {
      name: 'inspection-worker',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    // Only a running inspection listens for errors.
    started.on('error', () => {})
    started.unref()
    return started
  }

  const end = (ended: Worker): Promise<unknown> => {
    if (worker === ended) worker = null
    return ended.terminate()
  }

  const inspect = async ({ path, identity, signal }: InspectionRequest): Promise<Outcome<Inspection>> => {
    if (closing.signal.aborted) return cancelled
    const root = rootOf(path)
    if (calls.isHung(root)) return failed(fileFailure(new DriveTimeoutError()))
    clearTimeout(idle)
    const own = worker ?? start()
    worker = own
    const stop = AbortSignal.any([signal, closing.signal])
    const result = await new Promise<Outcome<Inspection>>((resolve) => {
      const settle = (outcome: Outcome<Inspection>) => {
        clearTimeout(timer)
        own.off('message', onMessage).off('error', onError).off('exit', onExit)
        stop.removeEventListener('abort', onAbort)
        resolve(outcome)
      }
      const onMessage = (answer: InspectionAnswer) =>
        settle(answer.kind === 'inspected' ? done(answer.inspection) : failed(answer.failure))
      const onExit = () => {
        void end(own)
        settle(endedEarly('damaged', 'The inspection ended early.'))
      }
      const onError = (error: Error & { readonly code?: string }) => {
        void end(own)
        const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        settle(
          endedEarly('damaged', isFull ? 'The inspection needed too much memory.' : 'The inspection failed.'),
        )
      }
      const onAbort = () => {
        void end(own)
        settle(cancelled)
      }
      const timer = setTimeout(() => {
        calls.addHungWork(root, end(own))
        settle(endedEarly('took-too-long', 'The inspection took too long.'))
      }, timeMs + graceMs)
      own.on('message', onMessage).on('error', onError).on('exit', onExit)
      stop.addEventListener('abort', onAbort, { once: true })
      const job: InspectionJob = { path, root, identity, timeMs }
      own.postMessage(job)
    })
    idle = setTimeout(() => {
      if (worker !== null) void end(worker)
    }, IDLE_MS)
    idle.unref()
    return result
  }

  return {
    inspect,
    close: async () => {
      closing.abort()
      clearTimeout(idle)
      if (worker !== null) await end(worker)
    },
  }
}
