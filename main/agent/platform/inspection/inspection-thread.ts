import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Inspection } from '../../../../shared/status/inspection.ts'
import { done, failed, type Outcome } from '../../domain/failure.ts'
import type { InspectionRequest, InspectionThread } from '../../ports/inspection.ts'
import { DriveCalls, DriveTimeoutError } from '../files/drive-calls.ts'
import { fileFailure } from '../files/file-failure.ts'
import type { InspectionAnswer, InspectionJob } from './inspection-job.ts'

/** Enough for a file of 1 GB without an index. */
const TIME_LIMIT_MS = 20_000
/**
 * The thread itself ends an inspection at the time limit. If it does not answer within this time after the limit, the
 * drive counts as hung.
 */
const GRACE_MS = 10_000
/** Recordings often finish in groups, so an idle thread keeps running for this time. */
const IDLE_MS = 10_000
const HEAP_MB = 64

export type InspectionThreadOptions = {
  /** The watched folder that must contain the file at this path. Null: no check. */
  readonly rootOf?: (path: string) => string | null
  readonly calls?: DriveCalls
  readonly timeLimitMs?: number
  readonly graceMs?: number
}

const cancelled = failed({ kind: 'cancelled' })

/** The result if the thread gives no answer. A file that crashes the inspection counts as damaged. */
const resultOfEarlyEnd = (code: 'took-too-long' | 'damaged', detail: string): Outcome<Inspection> =>
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
  timeLimitMs = TIME_LIMIT_MS,
  graceMs = GRACE_MS,
}: InspectionThreadOptions = {}): InspectionThread => {
  let worker: Worker | null = null
  let idleTimer: NodeJS.Timeout | undefined
  const closing = new AbortController()

  const start = (): Worker => {
    const entry = new URL(`./inspection-worker${extname(import.meta.filename)}`, import.meta.url)
    const newWorker = new Worker(entry, {
      name: 'inspection-worker',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    // `inspect` listens only during an inspection. Without these listeners, an error after it would crash the agent,
    // and the next inspection would wait for a dead thread.
    newWorker.on('error', () => {})
    newWorker.on('exit', () => {
      if (worker === newWorker) worker = null
    })
    newWorker.unref()
    return newWorker
  }

  const end = (target: Worker): Promise<unknown> => {
    if (worker === target) worker = null
    return target.terminate()
  }

  const inspect = async ({ path, identity, signal }: InspectionRequest): Promise<Outcome<Inspection>> => {
    if (closing.signal.aborted || signal.aborted) return cancelled
    const root = rootOf(path)
    if (calls.isHung(root)) return failed(fileFailure(new DriveTimeoutError()))
    clearTimeout(idleTimer)
    const usedWorker = worker ?? start()
    worker = usedWorker
    const stopSignal = AbortSignal.any([signal, closing.signal])
    const result = await new Promise<Outcome<Inspection>>((resolve) => {
      const settle = (outcome: Outcome<Inspection>) => {
        clearTimeout(timer)
        usedWorker.off('message', onMessage).off('error', onError).off('exit', onExit)
        stopSignal.removeEventListener('abort', onAbort)
        resolve(outcome)
      }
      const onMessage = (answer: InspectionAnswer) =>
        settle(answer.kind === 'inspected' ? done(answer.inspection) : failed(answer.failure))
      const onExit = () => {
        void end(usedWorker)
        settle(resultOfEarlyEnd('damaged', 'The inspection ended early.'))
      }
      const onError = (error: Error & { readonly code?: string }) => {
        void end(usedWorker)
        const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        settle(
          resultOfEarlyEnd(
            'damaged',
            isOutOfMemory ? 'The inspection needed too much memory.' : 'The inspection failed.',
          ),
        )
      }
      const onAbort = () => {
        void end(usedWorker)
        settle(cancelled)
      }
      const timer = setTimeout(() => {
        calls.addHungWork(root, end(usedWorker))
        settle(resultOfEarlyEnd('took-too-long', 'The inspection took too long.'))
      }, timeLimitMs + graceMs)
      usedWorker.on('message', onMessage).on('error', onError).on('exit', onExit)
      stopSignal.addEventListener('abort', onAbort, { once: true })
      const job: InspectionJob = { path, root, identity, timeLimitMs }
      usedWorker.postMessage(job)
    })
    idleTimer = setTimeout(() => {
      if (worker !== null) void end(worker)
    }, IDLE_MS)
    idleTimer.unref()
    return result
  }

  return {
    inspect,
    close: async () => {
      closing.abort()
      clearTimeout(idleTimer)
      if (worker !== null) await end(worker)
    },
  }
}
