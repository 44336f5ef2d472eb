import { type FSWatcher, watch } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { createStormCheck, stormError } from './event-storm.ts'
import type { WatchJob, WatchReport } from './watch-thread.ts'

const isInStorm = createStormCheck()

/** Watches folders of a drive that may hang: starting a watch blocks its thread until the drive answers. */
const watchers = new Map<number, FSWatcher>()
const report = (message: WatchReport): void => parentPort?.postMessage(message)

const start = (id: number, path: string): void => {
  const failed = (error: unknown) => {
    const { message, code = '' } = error as NodeJS.ErrnoException
    watchers.delete(id)
    report({ kind: 'failed', id, message, code })
  }
  try {
    const watcher = watch(path, (event, name) => {
      if (!watchers.has(id)) return
      if (!isInStorm()) return report({ kind: 'event', id, event, name })
      // All folders of this thread belong to one tree, and each may take part in the storm.
      for (const one of watchers.values()) one.close()
      watchers.clear()
      failed(stormError())
    })
    watchers.set(id, watcher)
    watcher.on('error', failed)
    report({ kind: 'watching', id })
  } catch (error) {
    failed(error)
  }
}

parentPort?.on('message', (job: WatchJob) => {
  if (job.kind === 'watch') start(job.id, job.path)
  else {
    watchers.get(job.id)?.close()
    watchers.delete(job.id)
  }
})
