import { type ChildProcess, fork } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ToThread } from './processing-job.ts'

const heapMb = 128

/**
 * The thread that inspects, in this process or in a process of its own. `events` emits `message` and `exit`, with the
 * exit code or the signal that ended the process.
 */
export type IsolatedThread = {
  readonly events: EventEmitter
  /** The ID of the thread's own process. Null if the thread is in this process. */
  readonly pid: number | null
  send(message: ToThread): void
  end(): Promise<void>
}

/**
 * If a thread runs out of memory, V8 may end the whole process. So the thread gets a process of its own. Throws if the
 * process cannot start.
 */
export function startIsolatedThread(): IsolatedThread {
  // In the packaged app, the thread runs in the server's own process: the app's executable can start no other program.
  const isPackaged = (process as { readonly type?: string }).type === 'browser'
  return isPackaged ? threadHere(startThread()) : threadInChild(startChild())
}

/** The thread does not keep its process running. */
export function startThread(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: heapMb }
  const worker = new Worker(programUrl('processing-worker'), { execArgv: [], resourceLimits })
  // Ignore the error, because `exit` follows it. Without a listener, an error between two inspections would end the
  // process.
  worker.on('error', () => {})
  worker.unref()
  return worker
}

function threadHere(worker: Worker): IsolatedThread {
  return {
    events: worker,
    pid: null,
    send: (message) => worker.postMessage(message),
    end: async () => void (await worker.terminate()),
  }
}

function startChild(): ChildProcess {
  const child = fork(fileURLToPath(programUrl('inspection-process')), [], {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // Without a listener, an error would end the server.
  child.on('error', () => {})
  // The system had no free process, file or memory, and no `exit` follows.
  if (child.pid === undefined) throw new Error('The system cannot start a process for the inspection.')
  child.unref()
  child.channel?.unref()
  return child
}

function threadInChild(child: ChildProcess): IsolatedThread {
  return {
    events: child,
    pid: child.pid ?? null,
    // Ignores errors, because `exit` reports a process that is gone.
    send: (message) => void child.send(message, () => {}),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.ref()
      child.kill('SIGKILL')
      await exit
    },
  }
}

function programUrl(name: string): URL {
  return new URL(`./${name}${extname(import.meta.filename)}`, import.meta.url)
}
