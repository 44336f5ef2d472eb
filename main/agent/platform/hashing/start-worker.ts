import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** The worker file is TypeScript when run from source, and JavaScript when compiled. */
export const startWorker = (name: 'hash-worker' | 'part-hash-worker' | 'range-hash-worker'): Worker => {
  const entry = new URL(`./${name}${extname(import.meta.filename)}`, import.meta.url)
  return new Worker(entry, { name, execArgv: [] })
}

/** Rejects if the worker dies. That is a bug: no file may crash a worker. */
export const runOnWorker = <Answer>(worker: Worker, job: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      act()
    }
    const onMessage = (answer: Answer): void => settle(() => resolve(answer))
    const onError = (error: Error): void => settle(() => reject(error))
    const onExit = (code: number): void =>
      settle(() => reject(new Error(`a hash worker ended unexpectedly with code ${code}`)))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(job)
  })
