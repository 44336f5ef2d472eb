import { type FSWatcher, watch } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { createStormCheck, stormError } from './event-storm.ts'
import type { WatchJob, WatchReport } from './watch-thread.ts'

const isInStorm = createStormCheck()

/** The watches run on this separate thread, because starting a watch on a hung drive blocks the calling thread. */
const watchers = new Map<number, FSWatcher>()
const report = (message: WatchReport): void => parentPort?.postMessage(message)

const start = (id: number, path: string): void => {
  const fail = (error: unknown) => {
    const { message, code = '' } = error as NodeJS.ErrnoException
    watchers.delete(id)
    report({ kind: 'failed', id, message, code })
  }
  try {
    const watcher = watch(path, (event, name) => {
      if (!watchers.has(id)) return
      if (!isInStorm()) return report({ kind: 'event', id, event, name })
      // Any of these folders may cause the storm.
      for (const openWatcher of watchers.values()) openWatcher.close()
      watchers.clear()
      fail(stormError())
    })
    watchers.set(id, watcher)
    watcher.on('error', fail)
    report({ kind: 'watching', id })
  } catch (error) {
    fail(error)
  }
}

parentPort?.on('message', (job: WatchJob) => {
  if (job.kind === 'watch') start(job.id, job.path)
  else {
    watchers.get(job.id)?.close()
    watchers.delete(job.id)
  }
})
