import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

export type WatchJob =
  | { readonly kind: 'watch'; readonly id: number; readonly path: string }
  | { readonly kind: 'close'; readonly id: number }

export type WatchReport =
  | { readonly kind: 'watching'; readonly id: number }
  | { readonly kind: 'event'; readonly id: number; readonly event: string; readonly name: string | null }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string; readonly code: string }

type OnEvent = (event: string, name: string | null) => void

type WatchedFolder = {
  readonly onEvent: OnEvent
  readonly onError: (error: unknown) => void
  /** Null once the watch has started. */
  pendingStart: PromiseWithResolvers<{ readonly close: () => void }> | null
}

export type WatchThread = {
  /**
   * Resolves when the watch has started. Rejects if the watch fails or the thread ends. Stays pending while the drive
   * hangs.
   */
  readonly watch: (
    path: string,
    onEvent: OnEvent,
    onError: (error: unknown) => void,
  ) => Promise<{ readonly close: () => void }>
  /** Does not wait for the thread, which may hang until its drive answers. */
  readonly close: () => void
}

const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

export const startWatchThread = (): WatchThread => {
  const entry = new URL(`./watch-worker${extname(import.meta.filename)}`, import.meta.url)
  const worker = new Worker(entry, { name: 'folder-watch', execArgv: [], resourceLimits })
  worker.unref()
  const watched = new Map<number, WatchedFolder>()
  let lastId = 0
  let isClosed = false

  const fail = (id: number, error: unknown): void => {
    const watch = watched.get(id)
    watched.delete(id)
    if (watch?.pendingStart != null) watch.pendingStart.reject(error)
    else watch?.onError(error)
  }

  const close = (id: number): void => {
    if (watched.delete(id) && !isClosed) worker.postMessage({ kind: 'close', id } satisfies WatchJob)
  }

  worker.on('message', (report: WatchReport) => {
    const watch = watched.get(report.id)
    switch (report.kind) {
      case 'watching':
        watch?.pendingStart?.resolve({ close: () => close(report.id) })
        if (watch !== undefined) watch.pendingStart = null
        break
      case 'event':
        watch?.onEvent(report.event, report.name)
        break
      case 'failed':
        fail(report.id, Object.assign(new Error(report.message), { code: report.code, syscall: 'watch' }))
    }
  })
  const failAll = (error: unknown) => {
    for (const id of [...watched.keys()]) fail(id, error)
  }
  worker.on('error', failAll)
  worker.on('exit', () => failAll(new Error('the thread that watches folders has ended')))

  return {
    watch: (path, onEvent, onError) => {
      lastId += 1
      const pendingStart = Promise.withResolvers<{ readonly close: () => void }>()
      watched.set(lastId, { onEvent, onError, pendingStart })
      worker.postMessage({ kind: 'watch', id: lastId, path } satisfies WatchJob)
      return pendingStart.promise
    },
    close: () => {
      isClosed = true
      // A scan may still wait for a watch to start.
      for (const { pendingStart } of watched.values()) pendingStart?.reject(new Error('the watch was closed'))
      watched.clear()
      void worker.terminate()
    },
  }
}
