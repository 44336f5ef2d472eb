import { parentPort } from 'node:worker_threads'
import { inspect } from '../../shared/formats/inspect.ts'
import type { FromThread, ToThread } from './processing-job.ts'
import { readAhead } from './read-ahead.ts'

type Reading = { readonly resolve: (bytes: Uint8Array) => void; readonly reject: (error: Error) => void }

const readings = new Map<number, Reading>()
let readCount = 0

const answer = (message: FromThread) => parentPort?.postMessage(message)

const read = (offset: number, length: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    readCount += 1
    readings.set(readCount, { resolve, reject })
    answer({ kind: 'read', id: readCount, offset, length })
  })

const run = async (job: Extract<ToThread, { kind: 'inspect' }>): Promise<FromThread> => {
  const { name, size, timeMs, head } = job
  const clock = { monotonicMs: () => performance.now() }
  const readRest = readAhead(read, size)
  const readHeadFirst = async (offset: number, length: number) => {
    const end = Math.min(offset + length, size)
    return end <= head.length ? head.slice(offset, end) : readRest(offset, length)
  }
  try {
    const inspection = await inspect({ name, size, read: readHeadFirst }, { clock, timeMs })
    return { kind: 'inspected', inspection }
  } catch {
    return { kind: 'failed' }
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'inspect') return void run(message).then(answer)
  const reading = readings.get(message.id)
  readings.delete(message.id)
  if (message.kind === 'bytes') reading?.resolve(message.bytes)
  else reading?.reject(new Error('The server could not read the recording.'))
})
