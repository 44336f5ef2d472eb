import type { Inspection } from '../../shared/status/inspection.ts'
import { type InspectFile, InspectionKilledError } from './inspect.ts'
import { type IsolatedThread, startIsolatedThread } from './isolated-thread.ts'
import type { FromThread } from './processing-job.ts'

/**
 * After the time limit, the server waits this long before it ends the thread. Usually the thread itself stops at the
 * limit, but the content of a file may keep it in a loop.
 */
const defaultGraceMs = 10_000
/** With this many first bytes, the inspectors recognise almost every format without a further read. */
const headBytes = 64 * 1024
/** A shutdown sends these signals to all processes of the server, so they are no sign of a hostile recording. */
const endingSignals: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Inspects recordings in an isolated thread with limited memory and time, so that a hostile file can neither delay the
 * server's answers nor end the server. The inspectors also limit how much they unpack, so this is a second defence.
 */
export class Inspector {
  readonly #graceMs: number
  #thread: IsolatedThread | null = null

  constructor(graceMs = defaultGraceMs) {
    this.#graceMs = graceMs
  }

  /** The ID of the process that inspects. Null if there is none, or if the thread is in the server's own process. */
  get pid(): number | null {
    return this.#thread?.pid ?? null
  }

  readonly inspect: InspectFile = async ({ name, size, read }, timeMs, signal) => {
    signal.throwIfAborted()
    const thread = this.#start()
    let readError: unknown = null
    return new Promise<Inspection>((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer)
        thread.events.off('message', onMessage).off('exit', onExit)
        signal.removeEventListener('abort', onAbort)
        end()
      }
      const endEarly = (detail: string) => {
        this.#end(thread)
        settle(() => resolve(incompleteInspection(detail)))
      }
      const onMessage = (message: FromThread) => {
        switch (message.kind) {
          case 'read': {
            const { id, offset, length } = message
            read(offset, length).then(
              (bytes) => thread.send({ kind: 'bytes', id, bytes }),
              (error: unknown) => {
                readError = error
                thread.send({ kind: 'unreadable', id })
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
      const onExit = (_code: number | null, endedBy?: NodeJS.Signals | null) => {
        const reason = `${endedBy} ended the inspection`
        // The recording may not be the reason: if the whole computer has too little memory, Linux kills the inspecting
        // process first, even if other programs use the memory.
        if (endedBy === 'SIGKILL') return settle(() => reject(new InspectionKilledError(reason)))
        if (!endingSignals.includes(endedBy ?? '')) return endEarly('The inspection needed too much memory.')
        settle(() => reject(new Error(reason)))
      }
      const onAbort = () => {
        this.#end(thread)
        settle(() => reject(signal.reason))
      }
      const timer = setTimeout(() => endEarly('The inspection took too long.'), timeMs + this.#graceMs)
      thread.events.on('message', onMessage).on('exit', onExit)
      signal.addEventListener('abort', onAbort, { once: true })
      read(0, Math.min(size, headBytes)).then(
        (head) => thread.send({ kind: 'inspect', name, size, timeMs, head }),
        (error: unknown) => settle(() => reject(error)),
      )
    })
  }

  async close(): Promise<void> {
    await this.#thread?.end()
  }

  #start(): IsolatedThread {
    if (this.#thread !== null) return this.#thread
    const thread = startIsolatedThread()
    thread.events.once('exit', () => this.#forget(thread))
    this.#thread = thread
    return thread
  }

  #forget(thread: IsolatedThread): void {
    if (this.#thread === thread) this.#thread = null
  }

  #end(thread: IsolatedThread): void {
    this.#forget(thread)
    void thread.end()
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
